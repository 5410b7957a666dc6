const number = String.raw`(\d[\d.,]*\d\d)`;
const limitWords = new RegExp(
  String.raw`(?:maximum(?: context length)?|limit|window|allowed|at most|max(?:imum)?_\w+)[^\d>]{0,60}${number}|>\s*${number}\s*(?:tokens?\s*)?(?:maximum|limit)?`,
  "iu",
);
const askedWords = new RegExp(
  String.raw`(?:requested|resulted in|too long:|token count|prompt (?:has|is)|contains|you have|input (?:is|of))[^\d]{0,40}${number}`,
  "iu",
);
/** Counts differ between tokenizers, also after they were put in proportion. */
const margin = 0.95;
const blindShare = 0.7;

/**
 * How many tokens, as we count, to send after a provider has refused a request as too long: by its own figures where it gives
 * them, and otherwise much less.
 */
export function overflowBudget(message: string, sentTokens: number): number {
  // What stands before it is ours, and names the model.
  const said = message.replace(/^.*?\(HTTP \d+\)/u, "");
  const limit = figure(limitWords.exec(said));
  const asked = figure(askedWords.exec(said));
  const share = limit === undefined ? undefined : limit / Math.max(asked ?? 0, limit === asked ? 0 : sentTokens);
  if (share === undefined || !(share > 0) || share * margin >= 1) return Math.floor(sentTokens * blindShare);
  return Math.max(1, Math.floor(sentTokens * share * margin));
}

function figure(match: RegExpExecArray | null): number | undefined {
  const text = match?.slice(1).find((group) => group !== undefined);
  const value = text === undefined ? Number.NaN : Number(text.replaceAll(/[.,]/gu, ""));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
