import { invalidInput, wrongInput } from "../model/check/input.ts";
import type { MessageEntry } from "../model/entries.ts";
import type { CallNames, ReadUnit } from "../wire/shared/read-items.ts";
import { readItems } from "../wire/import-from.ts";
import { shapeOfItem, shapeOfList } from "../wire/shapes.ts";
import type { ListShape } from "../wire/write-items.ts";
import { type Seals, sealsOf } from "./fit-memory.ts";
import { isSameData } from "./same-data.ts";

/** A list of a caller's messages, read once; it grows with the list. */
export interface ReadList {
  shape: ListShape;
  /** The caller's own objects, as they were given last. */
  items: readonly unknown[];
  /** A list that was found to begin with this many of them. */
  compared?: { readonly items: readonly unknown[]; readonly count: number };
  readonly units: ReadUnit[];
  /** One for each message of ours, with the unit that it belongs to. */
  readonly entries: MessageEntry[];
  readonly unitOf: number[];
  /** The index of an entry by its id. */
  readonly indexOf: Map<string, number>;
  readonly names: CallNames;
  seals: Seals;
  /** Calls since the last message of the user that are neither answered nor put to a person who has decided. */
  readonly open: Map<string, string>;
  /** The calls that a person is asked to approve, by the id of the question. */
  readonly asked: Map<string, string>;
}

/** Reads a list; what is known of the list that it continues is not read again. */
export function readList(items: readonly unknown[], given: ListShape | undefined, before?: ReadList): ReadList {
  const known = before && (given === undefined || given === before.shape) ? sameUnits(before, items) : 0;
  const isGrown = before !== undefined && known > 0 && restFits(items, before.units[known - 1]?.to ?? 0, before.shape);
  const list: ReadList = before && isGrown ? before : emptyList(given ?? listShape(items), items);
  list.items = items;
  if (isGrown) truncate(list, known);
  const start = list.units.at(-1)?.to ?? 0;
  for (let index = start; index < items.length; index += 1) refuseCircle(items[index], `messages[${index}]`, []);
  for (const unit of readItems(list.shape, items, "messages", start, list.names)) take(list, unit);
  return list;
}

/** Deeper than this, a message is not looked through: reading it says what is wrong with it. */
const maxDepth = 500;

/** Throws for a message that contains itself, which cannot be sent. `above` holds what contains `value`. */
function refuseCircle(value: unknown, path: string, above: object[]): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || above.length > maxDepth) return;
  if (above.includes(value)) {
    throw invalidInput(path, `${path} contains itself.`, "A message must be plain data that JSON can hold.");
  }
  above.push(value);
  for (const [key, field] of Object.entries(value)) {
    if (typeof field === "object" && field !== null)
      refuseCircle(field, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, above);
  }
  above.pop();
}

function listShape(items: readonly unknown[]): ListShape {
  const shape = shapeOfList(items, "messages");
  if (shape !== "gemini") return shape;
  const hint = 'importFrom("gemini", { contents }) of @galley/engine/wire reads them, and exportFor writes them again.';
  throw invalidInput("messages", "messages looks like Gemini contents, which cannot be fitted as they are.", hint);
}

function emptyList(shape: ListShape, items: readonly unknown[]): ReadList {
  const entries: MessageEntry[] = [];
  return {
    shape,
    items,
    units: [],
    entries,
    unitOf: [],
    indexOf: new Map(),
    names: new Map(),
    seals: sealsOf(entries),
    open: new Map(),
    asked: new Map(),
  };
}

/** How many units, from the first, say what they said before. The last may go on: the assistant's items become one. */
function sameUnits({ units, items: before, compared, shape }: ReadList, items: readonly unknown[]): number {
  const known = compared?.items === items ? compared.count : 0;
  let same = 0;
  for (const { from, to } of units) {
    for (let index = Math.max(from, known); index < to; index += 1)
      if (!isSameData(before[index], items[index])) return same;
    const isOpen = shape === "openai-responses" && to === before.length && items.length > to;
    if (isOpen && units[same]?.messages[0]?.role === "assistant") return same;
    same += 1;
  }
  return same;
}

/** Whether all that is new may be of the shape that was found before. */
function restFits(items: readonly unknown[], from: number, shape: ListShape): boolean {
  for (let index = from; index < items.length; index += 1) {
    const own = shapeOfItem(items[index]);
    if (own !== undefined && own !== shape) return false;
  }
  return true;
}

/** Forgets all units behind the first `count`. */
function truncate(list: ReadList, count: number): void {
  if (list.units.length === count) return;
  list.units.length = count;
  while ((list.unitOf.at(-1) ?? -1) >= count) {
    list.unitOf.pop();
    list.indexOf.delete(list.entries.pop()?.id ?? "");
  }
  list.seals = sealsOf(list.entries);
  for (const calls of [list.open, list.asked]) calls.clear();
  for (const entry of list.entries) followCalls(list, entry);
}

function take(list: ReadList, unit: ReadUnit): void {
  list.units.push(unit);
  for (const [index, message] of unit.messages.entries()) {
    const id = `messages[${unit.from}]${index === 0 ? "" : `:${index}`}`;
    list.indexOf.set(id, list.entries.length);
    const entry: MessageEntry = { id, ts: 0, type: "message", message };
    list.entries.push(entry);
    list.unitOf.push(list.units.length - 1);
    followCalls(list, entry);
  }
}

/** Throws for a list that no model can be asked with. */
export function checkList(items: unknown): asserts items is readonly unknown[] {
  const hint = "Pass the messages that the model would be sent.";
  if (!Array.isArray(items)) throw wrongInput("messages", "a list of messages", items, { hint });
  if (items.length === 0) throw invalidInput("messages", "messages is empty.", hint);
}

/** The same for what was read of it. */
export function checkMessages({ entries, open }: ReadList): void {
  if (entries.every(({ message }) => message.role === "system")) {
    const hint = "Add the message that the model is to answer.";
    throw invalidInput("messages", "messages holds nothing but system messages.", hint);
  }
  if (entries.every(({ message }) => message.role === "system" || message.role === "tool")) {
    const hint =
      "Pass the whole conversation. Where the provider keeps it (previous_response_id), send what is new as it is.";
    throw invalidInput("messages", "messages holds results of tools, and none of the calls that they answer.", hint);
  }
  const [unanswered] = open;
  if (!unanswered) return;
  const [call, id] = unanswered;
  const message = `The list ends while the call ${JSON.stringify(call)} has no result.`;
  throw invalidInput(
    id.replace(/:\d+$/, ""),
    message,
    "Append the result of the call before the model is asked again.",
  );
}

function followCalls({ open, asked }: ReadList, { id, message: { role, content } }: MessageEntry): void {
  if (role === "user") open.clear();
  if (typeof content === "string") return;
  for (const part of content) {
    if (part.type === "tool-call" && part.providerExecuted !== true) open.set(part.toolCallId, id);
    else if (part.type === "tool-result") open.delete(part.toolCallId);
    else if (part.type === "tool-approval-request") asked.set(part.approvalId, part.toolCallId);
    else if (part.type === "tool-approval-response") open.delete(asked.get(part.approvalId) ?? "");
  }
}
