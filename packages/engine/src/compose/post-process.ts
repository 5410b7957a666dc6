import type { Rule } from "../model/ledger.ts";
import type { ModelMessage } from "../model/messages.ts";
import { joinMessages } from "./join-messages.ts";
import type { DraftRow, Placement } from "./place-items.ts";
import type { PostProcessing } from "./preset.ts";

/** A message on its way through, with the rows of all that went into it. */
interface Cell {
  readonly message: ModelMessage;
  readonly rows: readonly DraftRow[];
}

/** Sent where two messages of one side would meet. It has to say something: providers refuse empty messages. */
const filler = "…";

/** Applies what the preset asks for [C12], and writes into the rows what was merged, changed or put in. */
export function postProcess(
  placement: Placement,
  options: PostProcessing | undefined,
): Pick<Placement, "messages" | "ledger"> {
  if (!hasPostProcessing(options)) return placement;
  let cells = cellsOf(placement);
  if (options?.mergeInjected) cells = mergeInjected(cells);
  if (options?.mergeSystemToHead) cells = mergeSystemToHead(cells);
  if (options?.systemToUser) cells = cells.map(systemToUser);
  if (options?.mergeNeighbours) cells = mergeNeighbours(cells);
  const ledger = [...placement.ledger];
  if (options?.forceAlternation) cells = forceAlternation(cells, ledger);
  for (const [position, cell] of cells.entries()) for (const row of cell.rows) row.position = position;
  return { messages: cells.map((cell) => cell.message), ledger };
}

/** True when the finished list may differ from the placed one. */
export function hasPostProcessing(options: PostProcessing | undefined): boolean {
  return options !== undefined && Object.values(options).some(Boolean);
}

function cellsOf({ messages, ledger }: Placement): Cell[] {
  const cells = messages.map((message): { message: ModelMessage; rows: DraftRow[] } => ({ message, rows: [] }));
  for (const row of ledger) if (row.position !== undefined) cells[row.position]?.rows.push(row);
  return cells;
}

function merge(cells: readonly Cell[], rule: Rule, separator: string): Cell {
  const [only] = cells;
  if (only && cells.length === 1) return only;
  const rows = cells.flatMap((cell) => cell.rows);
  for (const row of rows) {
    row.rule = rule;
    if (row.kind !== "generated") row.fate = "merged";
  }
  return {
    message: joinMessages(
      cells.map((cell) => cell.message),
      separator,
    ),
    rows,
  };
}

/** Within one place, everything of one role goes where the first of that role stands. */
function mergeInjected(cells: readonly Cell[]): Cell[] {
  const groups = new Map<string | Cell, Cell[]>();
  for (const cell of cells) {
    const key = placeKey(cell) ?? cell;
    const group = groups.get(key);
    if (group) group.push(cell);
    else groups.set(key, [cell]);
  }
  return [...groups.values()].map((group) => merge(group, "mergeInjected", "\n"));
}

function placeKey({ message, rows }: Cell): string | undefined {
  const place = rows[0]?.place;
  switch (place?.kind) {
    case "depth":
      return `${message.role} depth ${place.depth}`;
    case "anchor":
      return `${message.role} ${place.side} ${place.target}`;
    case "list":
    case undefined:
      return undefined;
  }
}

function mergeSystemToHead(cells: readonly Cell[]): Cell[] {
  const system = cells.filter((cell) => cell.message.role === "system");
  if (system.length === 0) return [...cells];
  return [merge(system, "mergeSystemToHead", "\n\n"), ...cells.filter((cell) => cell.message.role !== "system")];
}

function systemToUser(cell: Cell): Cell {
  if (cell.message.role !== "system") return cell;
  for (const row of cell.rows) row.roleChanged = true;
  return { ...cell, message: { ...cell.message, role: "user" } };
}

/** Tool messages stay apart: each answers its own call. */
function mergeNeighbours(cells: readonly Cell[]): Cell[] {
  const runs: Cell[][] = [];
  for (const cell of cells) {
    const run = runs.at(-1);
    const { role } = cell.message;
    if (run && role !== "tool" && run[0]?.message.role === role) run.push(cell);
    else runs.push([cell]);
  }
  return runs.map((run) => merge(run, "mergeNeighbours", "\n\n"));
}

/** System messages do not count; tool messages speak for the user, and those of one call belong together. */
function forceAlternation(cells: readonly Cell[], ledger: DraftRow[]): Cell[] {
  const result: Cell[] = [];
  let before: ModelMessage["role"] = "assistant";
  for (const cell of cells) {
    const { role } = cell.message;
    if (role !== "system") {
      const isSameSide = (role === "assistant") === (before === "assistant");
      if (isSameSide && !(role === "tool" && before === "tool")) {
        const side = role === "assistant" ? "user" : "assistant";
        const row: DraftRow = {
          kind: "generated",
          id: "filler",
          role: side,
          fate: "generated",
          rule: "forceAlternation",
        };
        ledger.push(row);
        result.push({ message: { role: side, content: filler }, rows: [row] });
      }
      before = role;
    }
    result.push(cell);
  }
  return result;
}
