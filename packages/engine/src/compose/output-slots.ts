import type { Rule } from "../model/ledger.ts";
import type { MessagePart, ModelMessage } from "../model/messages.ts";
import type { DraftRow, Placement } from "./place/place-items.ts";

/** A message on its way through post-processing, with the rows of all that went into it. */
export interface Cell {
  readonly message: ModelMessage;
  readonly rows: readonly DraftRow[];
}

export function cellsOf({ messages, ledger }: Placement): Cell[] {
  const cells = messages.map((message): { message: ModelMessage; rows: DraftRow[] } => ({ message, rows: [] }));
  for (const row of ledger) if (row.position !== undefined) cells[row.position]?.rows.push(row);
  return cells;
}

/** One cell for all of them, in the place of the first. */
export function mergeCells(cells: readonly Cell[], rule: Rule, separator: string): Cell {
  const [only] = cells;
  if (only && cells.length === 1) return only;
  const messages = cells.map((cell) => cell.message);
  return {
    message: joinMessages(messages, separator),
    rows: markMerged(
      cells.flatMap((cell) => cell.rows),
      rule,
    ),
  };
}

export function markMerged(rows: readonly DraftRow[], rule: Rule): readonly DraftRow[] {
  for (const row of rows) {
    row.rule = rule;
    if (row.kind !== "generated") row.fate = "merged";
  }
  return rows;
}

/** Takes a cell out of the list; its rows say why. */
export function dropCell({ rows }: Cell, rule: Rule): void {
  for (const row of rows) {
    if (row.kind !== "generated") row.fate = "dropped";
    row.rule = rule;
    row.position = undefined;
  }
}

/** True for a message that the preset, or a speaker of its own, keeps from being merged. */
export function isKeptApart({ message, rows }: Cell): boolean {
  return rows[0]?.keepApart === true || typeof message.providerOptions?.["openai"]?.["name"] === "string";
}

type Joinable = Exclude<ModelMessage, { role: "tool" }>;

/** One message that says what all of them say, in the role of the first. Texts are joined; parts follow each other. */
function joinMessages(messages: readonly ModelMessage[], separator: string): ModelMessage {
  const first = messages[0] as Joinable;
  const texts = messages.map((message) => message.content).filter((content) => typeof content === "string");
  const content =
    texts.length === messages.length
      ? texts.join(separator)
      : messages.flatMap((message): MessagePart[] =>
          typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
        );
  // Options such as a cache mark speak of the end of a message, so that the last ones hold.
  const providerOptions = messages.findLast((message) => message.providerOptions)?.providerOptions;
  return { role: first.role, content, ...(providerOptions ? { providerOptions } : {}) } as Joinable;
}
