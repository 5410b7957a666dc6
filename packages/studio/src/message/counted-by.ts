import type { MessageText } from "../i18n/message.ts";

/** "exact, o200k_base": how far a figure can be trusted, and who counted. */
export function countedBy(text: MessageText, exactness: string, tokenizer: string): string {
  if (exactness === "exact") return text.exact(tokenizer);
  return exactness === "calibrated" ? text.calibrated(tokenizer) : text.estimated(tokenizer);
}
