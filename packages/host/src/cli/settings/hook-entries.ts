import { type JsonNode, readJson, valueOf } from "./json-document.ts";
import { append, newDocument, removePart } from "./json-edit.ts";
import { memberOf, objectOf } from "./json-entry.ts";
import { type TextEdit, applyEdit } from "./text-edit.ts";

/** A command that an agent runs at an event; both agents write it in the same way. */
export interface Hook {
  readonly event: string;
  readonly matcher?: string;
  readonly command: string;
  /** In seconds. */
  readonly timeout: number;
}

/** The text with hooks behind those that are there. */
export function addHooks(text: string, hooks: readonly Hook[]): string {
  return hooks.reduce((before, hook) => applyEdit(before, addHook(before, hook)), text);
}

function addHook(text: string, { event, matcher, command, timeout }: Hook): TextEdit {
  const handler = { type: "command", command, timeout };
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] };
  const root = objectOf(readJson(text), "the document");
  if (!root) return newDocument(text, { hooks: { [event]: [group] } });
  const hooks = memberOf(root, "hooks");
  if (!hooks) return append(text, root, { [event]: [group] }, "hooks");
  const events = objectOf(hooks.value, "hooks");
  const groups = memberOf(events, event)?.value;
  if (!events) throw new Error("hooks is missing");
  if (!groups) return append(text, events, [group], event);
  if (groups.kind !== "list") throw new Error(`hooks.${event} is not a list`);
  return append(text, groups, group);
}

/** The text without the hooks that run a command of ours, and without what would be empty then. */
export function removeHooks(text: string, isOwn: (command: string) => boolean): string {
  let left = text;
  for (;;) {
    const edit = removeFirst(left, isOwn);
    if (!edit) return left;
    left = applyEdit(left, edit);
  }
}

function removeFirst(text: string, isOwn: (command: string) => boolean): TextEdit | undefined {
  const root = objectOf(readJson(text), "the document");
  const hooks = memberOf(root, "hooks");
  if (!root || hooks?.value.kind !== "object") return undefined;
  for (const [eventAt, { value: groups }] of hooks.value.members.entries()) {
    for (const [groupAt, group] of itemsOf(groups).entries()) {
      const handlers = group.kind === "object" ? memberOf(group, "hooks")?.value : undefined;
      const handlerAt = itemsOf(handlers).findIndex((handler) => isOwn(commandOf(valueOf(handler))));
      if (handlerAt < 0 || handlers?.kind !== "list") continue;
      // The largest part that holds nothing else.
      if (handlers.items.length > 1) return removePart(text, handlers, handlerAt);
      if (groups.kind === "list" && groups.items.length > 1) return removePart(text, groups, groupAt);
      if (hooks.value.members.length > 1) return removePart(text, hooks.value, eventAt);
      return removePart(text, root, root.members.indexOf(hooks));
    }
  }
  return undefined;
}

function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.kind === "list" ? node.items : [];
}

/** The commands of all hooks that a document has, as `event command`. */
export function hookCommands(document: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(asObject(document["hooks"])).flatMap(([event, groups]) =>
    asList(groups).flatMap((group) =>
      asList(asObject(group)["hooks"]).map((handler) => `${event} ${commandOf(handler)}`),
    ),
  );
}

/** A document without our hooks, and without what is empty then: what must be the same before and after. */
export function withoutHooks(
  document: Readonly<Record<string, unknown>>,
  isOwn: (command: string) => boolean,
): Readonly<Record<string, unknown>> {
  if (document["hooks"] === undefined) return document;
  const events = Object.entries(asObject(document["hooks"])).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [[event, groups] as const];
    const left = groups.flatMap((group: unknown) => {
      const handlers = asList(asObject(group)["hooks"]);
      const others = handlers.filter((handler) => !isOwn(commandOf(handler)));
      if (others.length === handlers.length) return [group];
      return others.length === 0 ? [] : [{ ...asObject(group), hooks: others }];
    });
    return left.length === 0 ? [] : [[event, left] as const];
  });
  const { hooks: _, ...rest } = document;
  return events.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(events) };
}

function commandOf(handler: unknown): string {
  const { command } = asObject(handler);
  return typeof command === "string" ? command : "";
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
