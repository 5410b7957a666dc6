import { groupBy } from "../../../model/group-by.ts";
import { kindOf } from "../../../compose/preset/preset-items.ts";
import { variableLookup } from "../../../compose/macros/placeholders.ts";
import { type Preset, injectedMark } from "../../../compose/preset/preset.ts";
import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import { type ExportItem, isLore } from "./export-items.ts";
import { normalizeNames } from "../example-dialogue.ts";
import type { OrderedPrompt } from "./export-order.ts";
import type { ImportReport } from "../../files/import-report.ts";
import { isJsonObject } from "../../../model/parse-json.ts";
import { readFields } from "../../files/read-fields.ts";
import { isMarker, isStock, oldFields, readPrompt } from "../read/read-tavern-preset.ts";
import type { TavernPrompt } from "../tavern-files.ts";
import { replyTriggers } from "../tavern-layout.ts";
import { defaultBucket, depthPlace } from "../tavern-pieces.ts";

/** What became of the prompts, and where each stands. */
export interface ExportedPrompts {
  readonly prompts: readonly JsonValue[];
  /** Every prompt that is used, in its order. */
  readonly order: readonly OrderedPrompt[];
  /** Whether SillyTavern sends a prompt that the document orders. */
  readonly wasSent: (identifier: string) => boolean;
  /** Texts that old presets have in fields of their own. */
  readonly fields: JsonObject;
  readonly worldInfoFormat: string | undefined;
}

/** Where an import puts what belongs to other files than the preset. */
const foreign = new Set([
  "entry",
  "entry-part",
  "example",
  "card",
  "note",
  "note-anchor",
  "persona",
  "new-chat",
  "new-group-chat",
  "send-if-empty",
  "group-nudge",
  "impersonation",
  "quiet-prompt",
]);
const worldInfo = new Set(["worldInfoBefore", "worldInfoAfter"]);

/** The prompts and their order. What stands beside an anchor is put where the anchor stands. */
export function exportPrompts(
  items: readonly ExportItem[],
  preset: Preset,
  document: JsonObject | undefined,
  report: ImportReport,
): ExportedPrompts {
  const own = items.filter((item) => (item.from === undefined ? !isLore(item) : !foreign.has(item.from)));
  const buckets = bucketsOf(own, preset, report);
  const used = inOrder(
    own.filter((item) => item.step !== undefined),
    report,
  );
  const unused = own.filter((item) => item.step === undefined);
  const written = new Map<string, JsonObject>();
  const order: OrderedPrompt[] = [];
  const fields: Record<string, JsonValue> = {};
  const sent = new Map<string, boolean>();
  const listed = document && Array.isArray(document["prompts"]) ? document["prompts"] : [];
  const wasListed = new Set(listed.filter((item) => typeof item === "string"));
  for (const item of [...used, ...unused]) {
    const identifier = identifierOf(item);
    if (identifier === undefined || written.has(identifier)) continue;
    if (item.step) order.push({ identifier, isEnabled: isEnabledThere(item) && !isOmitted(item, preset) });
    const { kept, changes } = promptOf(item, identifier, buckets.get(item), preset, report);
    if (Object.keys(kept).length > 0) sent.set(identifier, readPrompt(readFields(kept)).isSent);
    const field = oldFields[identifier];
    const isUnlisted = document !== undefined && item.from !== undefined && !wasListed.has(identifier);
    // A prompt that every preset has, and that this one did not list, is written where it was edited.
    if (isUnlisted && Object.keys(changes).length === 0) continue;
    if (isUnlisted && field !== undefined && field in document && Object.keys(changes).join() === "content")
      fields[field] = changes["content"] as JsonValue;
    else written.set(identifier, { ...kept, ...changes });
  }
  const again = listed.flatMap((item): JsonValue[] => {
    if (typeof item !== "string") return [item];
    const prompt = written.get(item);
    written.delete(item);
    return prompt ? [prompt] : [];
  });
  return {
    prompts: [...again, ...written.values()],
    order,
    fields,
    wasSent: (identifier) => sent.get(identifier) ?? (isStock(identifier) || wasListed.has(identifier)),
    worldInfoFormat: formatOf(items, report),
  };
}

/** A prompt that an import switched off, because it is for other replies only, is on there. */
function isEnabledThere({ step, source }: ExportItem): boolean {
  return step?.enabled === true || source["enabled"] === true;
}

function isOmitted(item: ExportItem, { postProcessing }: Preset): boolean {
  return kindOf(item.template) === "chat_history" && postProcessing?.omitHistory === true;
}

/** Items in list order, each anchor with what stands beside it. */
function inOrder(items: readonly ExportItem[], report: ImportReport): ExportItem[] {
  const isBeside = ({ strategy }: ExportItem): boolean =>
    strategy.depth === undefined && strategy.anchorTarget !== undefined;
  const roots = items.filter((item) => !isBeside(item));
  const beside = groupBy(items.filter(isBeside), ({ strategy }) => strategy.anchorTarget ?? "");
  const sequence: ExportItem[] = [];
  const emit = (item: ExportItem): void => {
    const kind = kindOf(item.template);
    const anchor = kind === "message" ? undefined : kind === "placeholder" ? item.template.id : kind;
    const around = anchor === undefined ? [] : (beside.get(anchor) ?? []).toSorted((a, b) => b.order - a.order);
    if (anchor !== undefined) beside.delete(anchor);
    for (const one of around) if (one.strategy.anchorPosition === "before") emit(one);
    sequence.push(item);
    for (const one of around) if (one.strategy.anchorPosition !== "before") emit(one);
  };
  for (const item of roots) emit(item);
  for (const item of [...beside.values()].flat()) {
    report.unsupported(
      item.path,
      `Its anchor ${JSON.stringify(item.strategy.anchorTarget)} has no place in the list; it is put last.`,
    );
    sequence.push(item);
  }
  return sequence;
}

/** The name SillyTavern has for it; nothing for an empty placeholder, which says nothing there. */
function identifierOf({ template, from, content }: ExportItem): string | undefined {
  if (from !== undefined) return template.id;
  switch (kindOf(template)) {
    case "chat_history":
      return "chatHistory";
    case "user_profile":
      return "personaDescription";
    case "placeholder":
      return content === "" ? undefined : template.id;
    case "message":
      return template.id;
  }
}

/** A prompt as it was imported, and what was edited; of one that was written here, all of it. */
function promptOf(
  item: ExportItem,
  identifier: string,
  bucket: number | undefined,
  preset: Preset,
  report: ImportReport,
): { readonly kept: JsonObject; readonly changes: JsonObject } {
  const { template, source, role } = item;
  const name = template.name ?? identifier;
  if (!isJsonObject(source["prompt"])) {
    const isMarker = identifier === "chatHistory" || identifier === "personaDescription";
    const replies = template.activation?.replies;
    const common = { identifier, name, ...placeOf(item, bucket), ...(replies && { injection_trigger: [...replies] }) };
    const content = isMarker ? {} : { role, content: inlined(item, preset, report) };
    return { kept: {}, changes: { system_prompt: isMarker, ...common, marker: isMarker, ...content } };
  }
  const own = typeof source["content"] === "string" ? source["content"] : (template.content ?? "");
  const memory: JsonObject = source["prompt"];
  const isBare = !("content" in memory);
  const kept = memory["content"] === true || (isBare && own !== "") ? { ...memory, content: own } : memory;
  const before = readPrompt(readFields(kept));
  const replies = replyTriggers(before.triggers);
  // Old imports had no rules for kinds of reply: switched on here, it is meant for every reply.
  const isFreed = source["enabled"] !== undefined && item.step?.enabled === true;
  const isChanged = preset.macros !== "sillytavern" && replies?.join() !== template.activation?.replies?.join();
  return {
    kept,
    changes: {
      ...(name === (before.name || identifier) ? {} : { name }),
      ...(role === before.role ? {} : { role }),
      ...(isSamePlace(item, before.injection, bucket) ? {} : placeOf(item, bucket)),
      ...(isFreed || isChanged ? { injection_trigger: isFreed ? [] : (template.activation?.replies ?? []) } : {}),
      ...editedText(item, identifier, report),
    },
  };
}

function placeOf({ strategy }: ExportItem, bucket: number | undefined): JsonObject {
  if (strategy.depth === undefined) return { injection_position: 0 };
  return { injection_position: 1, injection_depth: strategy.depth, injection_order: bucket ?? defaultBucket };
}

function isSamePlace(item: ExportItem, before: TavernPrompt["injection"], bucket: number | undefined): boolean {
  const { depth } = item.strategy;
  // The history stands in the list, whatever its prompt says.
  if (kindOf(item.template) === "chat_history" || item.step === undefined) return true;
  if (depth === undefined || before === undefined) return depth === undefined && before === undefined;
  const place = depthPlace(before.depth, "prompt", before.order);
  return place.kind === "depth" && place.depth === depth && place.bucket === (bucket ?? defaultBucket);
}

/** An edited text is written, and kept from being replaced by a card's where it was the card's. */
function editedText(item: ExportItem, identifier: string, report: ImportReport): JsonObject {
  const { source, content, template } = item;
  const own = typeof source["content"] === "string" ? normalizeNames(source["content"]) : undefined;
  if (source["imported"] === undefined || source["imported"] === content) return {};
  if (worldInfo.has(identifier) || isMarker(identifier)) return {};
  if (own === source["imported"]) return { content };
  report.converted(item.path, `The edited text of ${template.id} is kept from being replaced by a card.`);
  return { content, forbid_overrides: true };
}

/** Values that only Galley's preset knows are put into the text. */
function inlined({ content, path }: ExportItem, preset: Preset, report: ImportReport): string {
  if (preset.macros) return content;
  const known = new Set(["char", "user", "model", "date", "time"]);
  const lookup = variableLookup({ variables: [preset.variables] });
  return content.replace(/\{\{([^{}]*)\}\}/g, (whole, inner: string) => {
    const name = inner.trim();
    const value = known.has(name.toLowerCase()) ? undefined : lookup(name);
    if (value !== undefined) report.converted(path, `{{${name}}} is written as its value.`);
    return value ?? whole;
  });
}

const roles = ["assistant", "user", "system"];

/**
 * The bucket of each prompt in the chat. Those that an import found are kept where they still give the sequence of the
 * preset; else every stretch of one role gets a bucket of its own.
 */
function bucketsOf(
  items: readonly ExportItem[],
  { postProcessing }: Preset,
  report: ImportReport,
): Map<ExportItem, number> {
  const depths = groupBy(
    items.filter(({ strategy }) => strategy.depth !== undefined),
    ({ strategy }) => strategy.depth,
  );
  const buckets = new Map<ExportItem, number>();
  const declared = ({ strategy: { group } }: ExportItem): number =>
    group === undefined || group.trim() === "" || Number.isNaN(Number(group)) ? defaultBucket : Number(group);
  for (const [depth, list] of depths) {
    const sequence = list.toSorted((a, b) => b.order - a.order);
    const there = list.toSorted((a, b) => declared(a) - declared(b) || roles.indexOf(a.role) - roles.indexOf(b.role));
    const isSame = postProcessing?.mergeInjected === true && sequence.every((item, index) => item === there[index]);
    let bucket = defaultBucket - 1;
    for (const [index, item] of sequence.entries()) {
      const before = sequence[index - 1];
      const isJoined =
        postProcessing?.mergeInjected === true &&
        before?.role === item.role &&
        before.strategy.group === item.strategy.group;
      if (!isJoined) bucket += 1;
      buckets.set(item, isSame ? declared(item) : bucket);
    }
    if (!isSame && list.length > 1)
      report.converted(`depth ${depth}`, "The order of its prompts is written as injection_order.");
  }
  return buckets;
}

/** The text around world info; there it is one for both places. */
function formatOf(items: readonly ExportItem[], report: ImportReport): string | undefined {
  const texts = items
    .filter((item) => item.from === "prompt" && worldInfo.has(item.template.id))
    .map((item) => item.content);
  const [first] = texts;
  if (first === undefined) return undefined;
  if (texts.some((text) => text !== first))
    report.unsupported("worldInfoAfter", "World info has one format there; that of worldInfoBefore is written.");
  return first === "" ? "{0}" : first.replaceAll(injectedMark, () => "{0}");
}
