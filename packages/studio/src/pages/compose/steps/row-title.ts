import { firstWords } from "../../../api/words.ts";
import type { ShownStep } from "../../../document/shown-steps.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";

export interface RowTitle {
  /** The name that it was given; without one, how its text begins, or what kind of thing it is. */
  readonly name: string;
  /** What comes below the name, where that adds something. */
  readonly line: string;
  /** The id of a place without a name: others are tied to it by that. */
  readonly handle: string | undefined;
}

const maxLineLength = 160;

/** What the row of a step or a template says; its id is for programs and stands in a tooltip. */
export function useRowTitle(
  row: Pick<ShownStep, "id" | "name" | "content" | "kind"> & Partial<Pick<ShownStep, "isMissing">>,
): RowTitle {
  const text = useText(composeText);
  const words = firstWords(row.content, maxLineLength);
  const line = words || text.kindTexts[row.kind];
  if (row.name) return { name: row.name, line, handle: undefined };
  if (row.isMissing) return { name: row.id, line, handle: undefined };
  if (words) return { name: words, line: "", handle: undefined };
  return { name: text.kinds[row.kind], line, handle: row.kind === "placeholder" ? row.id : undefined };
}
