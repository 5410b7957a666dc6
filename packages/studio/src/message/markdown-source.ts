/** Texts longer than this are shown as they are: parsing them again with each word that comes would stop the page. */
const maxLength = 200_000;

export function isMarkdownShown(text: string): boolean {
  return text.length <= maxLength;
}

// Code first, so that what stands in it is left alone; then the formulas of models: \[ … \], \( … \) and $ … $.
// A sum of money ("$5 and $6") is not one: a formula begins with neither a digit nor a space, and no space ends it.
const formulas =
  /(?<code>(?<fence>`{3,}|~{3,})[\s\S]*?(?:\k<fence>|$)|(?<tick>`+)[^\n]*?\k<tick>)|\\\[(?<block>[\s\S]+?)\\\]|\\\((?<inline>[^\n]+?)\\\)|(?<![\\$])\$(?![\s\d$])(?<dollar>[^$\n]*?[^\s\\$])\$(?![\d$])/g;

/** Markdown with every formula between double dollars, the one form that the parser is told to read. */
export function markFormulas(text: string): string {
  return text.replace(formulas, (match, ...rest) => {
    const found = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    if (found["code"] !== undefined) return match;
    if (found["block"] !== undefined) return `\n$$\n${found["block"].trim()}\n$$\n`;
    return `$$${found["inline"] ?? found["dollar"] ?? ""}$$`;
  });
}

/** An address that a link may lead to: another site or a mail. Anything else stays text. */
export function safeAddress(address: string | undefined): string | undefined {
  return address !== undefined && /^(?:https?:\/\/|mailto:)/i.test(address) ? address : undefined;
}
