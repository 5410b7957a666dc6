import { groupBy } from "../model/group-by.ts";
import type { Rule } from "../model/ledger.ts";
import type { ModelMessage } from "../model/messages.ts";
import { type Cell, cellsOf, dropCell, isKeptApart, markMerged, mergeCells } from "./output-slots.ts";
import type { DraftRow, Placement } from "./place/place-items.ts";
import { type PostProcessing, injectedMark } from "./preset/preset.ts";

/** Sent where two messages of one side would meet. It has to say something: providers refuse empty messages. */
const filler = "…";

/** Applies what the preset asks for [C12], and writes into the rows what was merged, changed or put in. */
export function postProcess(
  placement: Placement,
  options: PostProcessing | undefined,
  isContinued = false,
): Pick<Placement, "messages" | "ledger"> {
  if (!hasPostProcessing(options)) return placement;
  let cells = cellsOf(placement);
  if (isContinued) cells = beginReply(cells);
  const ledger = [...placement.ledger];
  if (options?.mergeInjected) cells = mergeInjected(cells);
  if (options?.keepBlank) cells = cells.filter((cell) => cell.message.content !== "" || dropEmpty([cell]).length > 0);
  if (options?.omitHistory) cells = omitHistory(cells);
  if (options?.continueLast) cells = continueLast(cells, options.continueLast, ledger);
  if (options?.squashSystem) cells = squashSystem(cells);
  if (options?.mergeSystemToHead) cells = mergeSystemToHead(cells);
  if (options?.systemToUser) cells = cells.map(systemToUser);
  if (options?.mergeNeighbours) cells = mergeNeighbours(cells);
  if (options?.forceAlternation) cells = forceAlternation(cells, ledger);
  for (const [position, cell] of cells.entries()) for (const row of cell.rows) row.position = position;
  return { messages: cells.map((cell) => cell.message), ledger };
}

/** True when the finished list may differ from the placed one. */
export function hasPostProcessing(options: PostProcessing | undefined): boolean {
  return options !== undefined && Object.values(options).some(Boolean);
}

/** Within one place, everything of one role and group goes where the first of them stands [C12]. */
function mergeInjected(cells: readonly Cell[]): Cell[] {
  const groups = groupBy(fillPlaceholders(cells), (cell) => placeKey(cell) ?? cell);
  return [...groups.values()].flatMap((group) => {
    const isEmpty = group.every((cell) => cell.message.content === "");
    if (isEmpty && group[0]?.rows[0]?.kind !== "message") return dropEmpty(group);
    return trimBlocks(group);
  });
}

/** Texts of one block lose the white space around them together; what comes to nothing is not sent. */
function trimBlocks(group: readonly Cell[]): Cell[] {
  if (!group.some((cell) => cell.rows[0]?.block !== undefined)) return [mergeCells(group, "mergeInjected", "\n")];
  const blocks = runsOf(group, (cell, before) => cell.rows[0]?.block === before.rows[0]?.block);
  const trimmed = blocks.flatMap((cells) => {
    const one = mergeCells(cells, "mergeInjected", "\n");
    if (cells[0]?.rows[0]?.block === undefined) return [one];
    const content = textOf(one).trim();
    return content === "" ? dropEmpty(cells) : [{ ...one, message: { ...one.message, content } as Cell["message"] }];
  });
  return trimmed.length === 0 ? [] : [mergeCells(trimmed, "mergeInjected", "\n")];
}

function dropEmpty(cells: readonly Cell[]): [] {
  for (const cell of cells) dropCell(cell, "empty");
  return [];
}

function placeKey(cell: Cell): string | undefined {
  const { message, rows } = cell;
  const [row] = rows;
  if (!row?.place || isKeptApart(cell)) return undefined;
  const { place, group = "" } = row;
  switch (place.kind) {
    case "depth":
      return JSON.stringify([message.role, group, place.depth]);
    case "anchor":
      return JSON.stringify([message.role, group, place.side, place.target]);
    case "list":
      return undefined;
  }
}

/** Placeholders whose text has a place for what is injected beside them; without an injection they are not sent. */
function fillPlaceholders(cells: readonly Cell[]): readonly Cell[] {
  const injected = new Map<string, Cell[]>();
  for (const cell of cells) if (hasMark(cell)) injected.set(cell.rows[0]?.id ?? "", []);
  if (injected.size === 0) return cells;
  const others = cells.filter((cell) => {
    const list = hasMark(cell) ? undefined : injected.get(targetOf(cell));
    list?.push(cell);
    return list === undefined;
  });
  return others.flatMap((cell) => {
    if (!hasMark(cell)) return [cell];
    const inside = injected.get(cell.rows[0]?.id ?? "") ?? [];
    return inside.length > 0 ? [fill(cell, inside)] : unfilled(cell);
  });
}

function hasMark({ message, rows }: Cell): boolean {
  return rows[0]?.kind === "step" && typeof message.content === "string" && message.content.includes(injectedMark);
}

function targetOf({ rows }: Cell): string {
  const place = rows[0]?.place;
  return place?.kind === "anchor" ? place.target : "";
}

function fill({ message, rows }: Cell, inside: readonly Cell[]): Cell {
  const text = inside.map((cell) => textOf(cell)).join("\n");
  const content = textOf({ message }).replaceAll(injectedMark, () => text);
  const all = [...rows, ...inside.flatMap((cell) => cell.rows)];
  return { message: { ...message, content } as Cell["message"], rows: markMerged(all, "mergeInjected") };
}

/** What a preset sends is text. */
function textOf({ message: { content } }: Pick<Cell, "message">): string {
  return typeof content === "string" ? content : "";
}

function unfilled({ rows }: Cell): [] {
  for (const row of rows) {
    row.fate = "anchor";
    row.position = undefined;
  }
  return [];
}

/** Takes out the history and what stands in it by depth; a summary and hints stand for history too. */
function omitHistory(cells: readonly Cell[]): Cell[] {
  return cells.filter((cell) => {
    const [row] = cell.rows;
    const isHistory = row?.kind === "message" || row?.kind === "generated" || row?.kind === "hint";
    if (!isHistory && row?.place?.kind !== "depth") return true;
    dropCell(cell, "omitHistory");
    return false;
  });
}

/** The newest history message is the beginning of the reply: it has no speaker. */
function beginReply(cells: readonly Cell[]): Cell[] {
  const last = cells.findLastIndex((cell) => cell.rows[0]?.kind === "message");
  return cells.map((cell, index) => {
    if (index !== last || cell.message.providerOptions === undefined) return cell;
    const { providerOptions: _options, ...message } = cell.message;
    return { ...cell, message };
  });
}

/** The newest history message goes to the end, and what asks the model to go on with it follows. */
function continueLast(cells: readonly Cell[], text: string, ledger: DraftRow[]): Cell[] {
  const last = cells.findLastIndex((cell) => cell.rows[0]?.kind === "message");
  const cell = cells[last];
  // What belongs to a tool call stays with it.
  if (typeof cell?.message.content !== "string") return [...cells];
  const asked = generated("continue", "continueLast", { role: "system", content: text }, ledger);
  return [...cells.toSpliced(last, 1), cell, asked];
}

function squashSystem(cells: readonly Cell[]): Cell[] {
  const isOpen = (cell: Cell): boolean => cell.message.role === "system" && !isKeptApart(cell);
  return runsOf(cells, (cell, before) => isOpen(cell) && isOpen(before)).map((run) =>
    mergeCells(run, "squashSystem", "\n"),
  );
}

/** Stretches of neighbours that belong together. */
function runsOf(cells: readonly Cell[], belongs: (cell: Cell, before: Cell) => boolean): Cell[][] {
  const runs: Cell[][] = [];
  for (const cell of cells) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run && before && belongs(cell, before)) run.push(cell);
    else runs.push([cell]);
  }
  return runs;
}

function mergeSystemToHead(cells: readonly Cell[]): Cell[] {
  const system = cells.filter((cell) => cell.message.role === "system");
  if (system.length === 0) return [...cells];
  return [mergeCells(system, "mergeSystemToHead", "\n\n"), ...cells.filter((cell) => cell.message.role !== "system")];
}

function systemToUser(cell: Cell): Cell {
  if (cell.message.role !== "system") return cell;
  for (const row of cell.rows) row.roleChanged = true;
  return { ...cell, message: { ...cell.message, role: "user" } };
}

/** Tool messages stay apart: each answers its own call. */
function mergeNeighbours(cells: readonly Cell[]): Cell[] {
  const belongs = (cell: Cell, before: Cell): boolean =>
    cell.message.role !== "tool" &&
    cell.message.role === before.message.role &&
    !isKeptApart(cell) &&
    !isKeptApart(before);
  return runsOf(cells, belongs).map((run) => mergeCells(run, "mergeNeighbours", "\n\n"));
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
        result.push(generated("filler", "forceAlternation", { role: side, content: filler }, ledger));
      }
      before = role;
    }
    result.push(cell);
  }
  return result;
}

/** A message that no input gave, with its row in the ledger. */
function generated(id: string, rule: Rule, message: Cell["message"], ledger: DraftRow[]): Cell {
  const row: DraftRow = { kind: "generated", id, role: message.role, fate: "generated", rule };
  ledger.push(row);
  return { message, rows: [row] };
}
