import { type Cell, isKeptApart, markMerged, mergeCells } from "./output-slots.ts";
import { injectedMark } from "./preset/preset.ts";

/** Within one place, everything of one role and group goes where the first of them stands [C12]. */
export function mergeInjected(cells: readonly Cell[]): Cell[] {
  const groups = new Map<string | Cell, Cell[]>();
  for (const cell of fillPlaceholders(cells)) {
    const key = placeKey(cell) ?? cell;
    const group = groups.get(key);
    if (group) group.push(cell);
    else groups.set(key, [cell]);
  }
  return [...groups.values()].map((group) => mergeCells(group, "mergeInjected", "\n"));
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
