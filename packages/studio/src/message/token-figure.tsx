import type { ReactElement } from "react";
import { type MessageText, messageTexts } from "../i18n/message.ts";
import { useFormats, useText } from "../i18n/use-text.ts";

/** "exact, o200k_base": who counted, and how far the figure can be trusted. */
export function countedBy(text: MessageText, exactness: string, tokenizer: string): string {
  if (exactness === "exact") return text.exact(tokenizer);
  return exactness === "calibrated" ? text.calibrated(tokenizer) : text.estimated(tokenizer);
}

export interface TokenFigureProps {
  readonly tokens: number;
  readonly exactness: string;
  readonly tokenizer: string;
}

/** A number of tokens that says whether it is exact or estimated, and by which tokenizer. */
export function TokenFigure({ tokens, exactness, tokenizer }: TokenFigureProps): ReactElement {
  const text = useText(messageTexts);
  const { number } = useFormats();
  return (
    <span className="tabular-nums">
      <strong className="font-semibold">{text.tokens(number(tokens))}</strong>{" "}
      <span className="text-muted">({countedBy(text, exactness, tokenizer)})</span>
    </span>
  );
}
