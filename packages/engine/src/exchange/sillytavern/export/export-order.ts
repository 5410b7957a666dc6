import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import { isJsonObject } from "../../../model/parse-json.ts";
import { readFields } from "../../files/read-fields.ts";
import { globalOrderId, identifierIn, readOrder } from "../read/read-tavern-preset.ts";
import { absentMarkers } from "../tavern-layout.ts";

/** A prompt in the order of a preset, and whether it is on. */
export interface OrderedPrompt {
  readonly identifier: string;
  readonly isEnabled: boolean;
}

/**
 * The lists of prompts as the document has them, with the order that is used here in the list for all characters. Nothing is
 * touched that says the same already; what that list names and no prompt is stays behind what it stood behind.
 */
export function exportOrder(
  now: readonly OrderedPrompt[],
  document: JsonObject,
  wasSent: (identifier: string) => boolean,
): JsonValue | undefined {
  const lists = document["prompt_order"];
  const before = readOrder(readFields(document)).filter((one) => wasSent(one.identifier));
  const absent = absentMarkers(before);
  const whole = [...before, ...absent.map((identifier) => ({ identifier, isEnabled: true }))];
  const isSame = whole.length === now.length && whole.every((one, index) => isEqual(one, now[index]));
  if (isSame) return lists;
  const isUsed = new Set(now.map(({ identifier }) => identifier));
  const isDeleted = (identifier: string): boolean => wasSent(identifier) && !isUsed.has(identifier);
  const shown = withoutTail(now, absent);
  const others = Array.isArray(lists) ? lists : [];
  const at = others.findIndex((list) => isJsonObject(list) && Number(list["character_id"]) === globalOrderId);
  const own = others[at];
  const order = merged(shown, isJsonObject(own) ? own["order"] : undefined, isDeleted);
  if (!isJsonObject(own)) return [...others, { character_id: globalOrderId, order }];
  return others.with(at, { ...own, order });
}

function isEqual(a: OrderedPrompt, b: OrderedPrompt | undefined): boolean {
  return a.identifier === b?.identifier && a.isEnabled === b.isEnabled;
}

/** Markers that come at the end anyway need not be named. */
function withoutTail(now: readonly OrderedPrompt[], absent: readonly string[]): OrderedPrompt[] {
  const rest = [...now];
  const waiting = [...absent];
  while (waiting.length > 0 && rest.at(-1)?.identifier === waiting.at(-1) && rest.at(-1)?.isEnabled) {
    rest.pop();
    waiting.pop();
  }
  return waiting.length === 0 ? rest : [...now];
}

function merged(
  now: readonly OrderedPrompt[],
  before: JsonValue | undefined,
  isDeleted: (identifier: string) => boolean,
): JsonValue[] {
  const isUsed = new Set(now.map(({ identifier }) => identifier));
  const items = new Map<string, JsonObject>();
  const behind = new Map<string, JsonValue[]>();
  let last = "";
  for (const item of Array.isArray(before) ? before : []) {
    const identifier = identifierIn(item);
    if (isJsonObject(item) && isUsed.has(identifier) && !items.has(identifier)) {
      items.set(identifier, item);
      last = identifier;
    } else if (!isDeleted(identifier)) behind.set(last, [...(behind.get(last) ?? []), item]);
  }
  return [
    ...(behind.get("") ?? []),
    ...now.flatMap(({ identifier, isEnabled }): JsonValue[] => {
      const item = items.get(identifier) ?? { identifier, enabled: isEnabled };
      const wasEnabled = readFields(item).flag("enabled", false);
      return [wasEnabled === isEnabled ? item : { ...item, enabled: isEnabled }, ...(behind.get(identifier) ?? [])];
    }),
  ];
}
