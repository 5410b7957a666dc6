import { fieldsCheck, textCheck, wrongInput } from "../../model/check/input.ts";
import type { MessageEntry, PinEntry, SessionEntry } from "../../model/entries.ts";
import { hashId } from "../../model/entry-ids.ts";
import { GalleyError } from "../../model/check/errors.ts";
import { groupStarts } from "../../model/groups.ts";
import { handleOf, parseHandle } from "../../model/handle.ts";
import { type PathMessage, pathMessages } from "./path-messages.ts";
import { pinTarget } from "./pins.ts";
import { lastOwnEntry } from "./repeats.ts";
import { view } from "./view.ts";

/** What to pin: a message of the log, by its id or its handle, or a sentence of one's own. */
export type PinRequest = { readonly entryId: string } | { readonly handle: string } | { readonly text: string };

/** When something is pinned, and by whom. */
export interface PinOptions {
  /** The time of the entry; that of the last one if absent. */
  readonly now?: string | number | undefined;
  /** Who pins it; a person unless said otherwise. */
  readonly by?: PinEntry["by"];
}

/** Something that is pinned. */
export interface PinnedItem {
  /** The message, or the pin of a sentence: by this it is unpinned. */
  readonly id: string;
  /** The sentence. */
  readonly text?: string;
  /** The message, where the log that was given holds it, and by which handle it can be asked for. */
  readonly entry?: MessageEntry;
  readonly handle?: string;
  readonly by: "person" | "model";
  readonly ts: string | number;
}

interface Given {
  readonly entryId?: string;
  readonly handle?: string;
  readonly text?: string;
}

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

const requestCheck = fieldsCheck({ entryId: textCheck, handle: textCheck, text: textCheck });
const optionsCheck = fieldsCheck({ by: textCheck });

/** In characters. */
const maxTextLength = 4000;

/**
 * The entry that pins something [R6]: append it to the log, and every later build sends it until it is unpinned. Nothing when it is
 * pinned already. The log must be whole: the entry takes along what it pins, for builds that read only the end.
 *
 * @example
 * const entries = [{ id: "m1", ts: 0, type: "message", message: { role: "user", content: "Port 8080, always." } }];
 * pinEntry(entries, { entryId: "m1" })?.entryId; // → "m1"
 */
export function pinEntry(
  log: readonly SessionEntry[],
  request: PinRequest,
  options: PinOptions = {},
): PinEntry | undefined {
  requestCheck(request, "request");
  optionsCheck(options, "options");
  const given: Given = request;
  if (Object.values({ entryId: given.entryId, handle: given.handle, text: given.text }).filter(isGiven).length !== 1) {
    throw wrongInput("request", "one of entryId, handle and text", request);
  }
  const isPinned = new Set(pinnedItems(log).map((item) => item.text ?? item.id));
  if (given.text === undefined) {
    const group = groupOf(log, given);
    return isPinned.has(group.entryId) ? undefined : newPin(log, group, options);
  }
  const text = given.text.trim();
  if (text === "" || text.length > maxTextLength) {
    throw new GalleyError("ContextInvalidInput", `A text to pin has 1 to ${maxTextLength} characters.`, {
      path: "text",
      hint: text === "" ? "Write what must not be forgotten." : "Pin what must not be forgotten in fewer words.",
    });
  }
  return isPinned.has(text) ? undefined : newPin(log, { text }, options);
}

/** The entry that takes a pin back: of a message by the message's id, of a sentence by the id of its pin. */
export function unpinEntry(log: readonly SessionEntry[], id: string, options: PinOptions = {}): PinEntry {
  textCheck(id, "id");
  optionsCheck(options, "options");
  if (pinnedItems(log).some((item) => item.id === id)) return newPin(log, { entryId: id, isUndone: true }, options);
  throw new GalleyError("NotFound", `${JSON.stringify(id)} is not pinned.`, {
    path: "id",
    hint: "A message is unpinned by its id, a sentence by the id of its pin.",
  });
}

/** What is pinned in a log, the oldest pin first. */
export function pinnedItems(log: readonly SessionEntry[]): readonly PinnedItem[] {
  const { pins, messages, ordinals } = view(log);
  if (pins.entries.length === 0) return [];
  const shown = new Map(messages.map((entry, index) => [entry.id, { entry, ordinal: ordinals[index] ?? 0 }]));
  return pins.entries.flatMap((pin): PinnedItem[] => {
    const { text, by = "person", ts } = pin;
    const found = shown.get(pinTarget(pin));
    if (pin.entryId === undefined) return text === undefined ? [] : [{ id: pin.id, text, by, ts }];
    // A message of another branch is not sent here, and its pin says nothing about this one.
    if (!found) return [];
    const handle = found.ordinal > 0 ? { handle: handleOf(found.ordinal) } : {};
    return [{ id: pin.entryId, entry: found.entry, ...handle, by, ts }];
  });
}

function groupOf(
  log: readonly SessionEntry[],
  { entryId, handle = "" }: Given,
): Pick<PinEntry, "carried" | "ordinals"> & { readonly entryId: string } {
  const path = pathMessages(log);
  const range = parseHandle(handle);
  const isMeant = ({ entry, ordinal }: PathMessage): boolean =>
    entryId === undefined ? ordinal === range?.first && range.first === range.last : entry.id === entryId;
  const at = path.findIndex(isMeant);
  const found = path[at];
  if (!found || found.isErased) {
    const name = entryId ?? handle;
    throw new GalleyError("NotFound", `There is no message ${JSON.stringify(name)} to pin.`, {
      path: entryId === undefined ? "handle" : "entryId",
      hint: "It must be on the active branch, and not redacted.",
    });
  }
  const starts = groupStarts(path, ({ entry }) => entry.message);
  const next = starts.findIndex((start) => start > at);
  const from = starts[(next < 0 ? starts.length : next) - 1] ?? at;
  const group = path.slice(from, next < 0 ? path.length : starts[next]).filter(({ isErased }) => !isErased);
  return {
    entryId: found.entry.id,
    carried: group.map(({ entry }) => withoutParent(entry)),
    ordinals: group.map(({ ordinal }) => Math.max(0, ordinal)),
  };
}

function withoutParent({ parentId: _parent, ...entry }: MessageEntry): MessageEntry {
  return entry;
}

function newPin(
  log: readonly SessionEntry[],
  about: Pick<PinEntry, "entryId" | "text" | "isUndone" | "carried" | "ordinals">,
  { now, by = "person" }: PinOptions,
): PinEntry {
  const tail = lastOwnEntry(log);
  const body = { type: "pin", ...about, by } as const;
  return { id: hashId("p", [tail?.id ?? null, body]), ts: now ?? tail?.ts ?? 0, ...body };
}
