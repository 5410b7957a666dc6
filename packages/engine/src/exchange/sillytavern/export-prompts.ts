import { kindOf } from "../../compose/preset/preset-items.ts";
import { variableLookup } from "../../compose/macros/placeholders.ts";
import { type Preset, injectedMark } from "../../compose/preset/preset.ts";
import type { JsonObject } from "../../model/messages.ts";
import type { ExportItem } from "./export-items.ts";
import type { ImportReport } from "../files/import-report.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { defaultBucket } from "./tavern-pieces.ts";

interface ExportedPrompts {
  readonly prompts: JsonObject[];
  readonly order: JsonObject[];
  readonly newChat: string | undefined;
  readonly worldInfoFormat: string | undefined;
}

/** Where an import puts what belongs to other files than the preset. */
const foreign = new Set(["entry", "entry-part", "example", "card", "note", "note-anchor", "persona", "new-chat"]);
const worldInfo = new Set(["worldInfoBefore", "worldInfoAfter"]);

/** The prompts and their order. What stands beside an anchor is put where the anchor stands. */
export function exportPrompts(items: readonly ExportItem[], preset: Preset, report: ImportReport): ExportedPrompts {
  const own = items.filter((item) => item.from === undefined || !foreign.has(item.from));
  const buckets = bucketsOf(own, preset, report);
  const used = inOrder(
    own.filter((item) => item.step !== undefined),
    report,
  );
  const unused = own.filter((item) => item.step === undefined);
  const written = new Set<string>();
  const prompts: JsonObject[] = [];
  const order: JsonObject[] = [];
  for (const item of [...used, ...unused]) {
    const identifier = identifierOf(item);
    if (identifier === undefined || written.has(identifier)) continue;
    written.add(identifier);
    prompts.push(promptOf(item, identifier, buckets.get(item), preset, report));
    if (item.step) order.push({ identifier, enabled: isEnabledThere(item) && !isOmitted(item, preset) });
  }
  return {
    prompts,
    order,
    newChat: items.find((item) => item.from === "new-chat")?.content ?? (preset.metadata ? undefined : ""),
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
  const beside = Map.groupBy(items.filter(isBeside), ({ strategy }) => strategy.anchorTarget ?? "");
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

function promptOf(
  item: ExportItem,
  identifier: string,
  bucket: number | undefined,
  preset: Preset,
  report: ImportReport,
): JsonObject {
  const { template, source, role, strategy } = item;
  const kept = isJsonObject(source["prompt"]) ? source["prompt"] : {};
  const isMarker = kept["marker"] === true || identifier === "chatHistory" || identifier === "personaDescription";
  const depth =
    strategy.depth === undefined
      ? kept["injection_position"] === 1
        ? { injection_position: 0 }
        : {}
      : { injection_position: 1, injection_depth: strategy.depth, injection_order: bucket ?? defaultBucket };
  // Switched on here, it is meant for every reply.
  const always = source["enabled"] !== undefined && item.step?.enabled === true ? { injection_trigger: [] } : {};
  const common = {
    ...kept,
    ...always,
    identifier,
    name: template.name ?? (kept["name"] as string | undefined) ?? identifier,
    ...depth,
  };
  if (isMarker) {
    if (source["imported"] !== undefined && item.content !== source["imported"] && !worldInfo.has(identifier)) {
      report.unsupported(
        `${item.path}: ${identifier}`,
        "Its text was edited; it belongs to the card or the persona and is not written.",
      );
    }
    return { ...common, marker: true, system_prompt: true };
  }
  return { system_prompt: false, ...common, role, marker: false, ...contentOf(item, preset, report) };
}

/** An edited text is written; one that an import made from the card's is what the preset said before. */
function contentOf(item: ExportItem, preset: Preset, report: ImportReport): JsonObject {
  const { source, content, template } = item;
  if (source["imported"] === undefined) return { content: inlined(item, preset, report) };
  if (source["imported"] === content) return { content: source["content"] };
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
  const depths = Map.groupBy(
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
  return first === "" ? "{0}" : first.replace(injectedMark, () => "{0}");
}
