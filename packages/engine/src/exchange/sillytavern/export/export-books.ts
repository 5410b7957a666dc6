import { groupBy } from "../../../model/group-by.ts";
import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import { cardFields, editedRules, foreignRules, newRules } from "./export-entry.ts";
import { type ExportItem, isLore } from "./export-items.ts";
import { bookName, readCard } from "../read/read-card.ts";
import { convertEntry } from "../read/read-world-info.ts";
import { readRole } from "../tavern-files.ts";
import { type ImportReport, importReport } from "../../files/import-report.ts";
import { type FieldReader, readFields } from "../../files/read-fields.ts";

interface ExportedEntry {
  readonly book: string;
  /** What its book called it. */
  readonly key: string;
  readonly uid: number;
  readonly order: number;
  /** Within one place, what is sent first has the highest rank. */
  readonly rank: number;
  readonly place: string;
  readonly isRising: boolean;
  /** True for one that was written here. */
  readonly isNew: boolean;
  readonly fields: JsonObject;
  /** As the book inside a card has it. */
  readonly inCard?: JsonObject;
}

/** Of one that has its place by its own numbers. */
const placed = { order: 0, rank: 0, place: "", isRising: true, isNew: false } as const;

export interface ExportedBooks {
  readonly books: { readonly name: string; readonly book: JsonObject }[];
  /** The entries of the book inside the card, as a card has them; nothing where they did not come from there. */
  readonly embedded: JsonValue | undefined;
}

/** World info as it was imported, with the texts, places and switches that it has now. */
export function exportBooks(items: readonly ExportItem[], memory: FieldReader, report: ImportReport): ExportedBooks {
  const own = items.filter((item) => item.from === "entry");
  const alive = own.filter((item) => item.template.activation !== undefined);
  // Presets of the first version of the import have the sequence of their entries, and no rules.
  const ranked = own.filter((item) => item.template.activation === undefined);
  const entries = [
    ...ranked.map((item) => entryOf(item, report)),
    ...memory.each("entries").map(({ fields }) => unplacedEntry(fields)),
  ];
  reportEditedExamples(items, report);
  const written = items.filter(isLore).map((item, index) => newEntry(item, index, report));
  const ordered = [...alive.map((item) => livingEntry(item, report)), ...written, ...withOrders(entries, report)];
  const sources = memory.fields("books");
  const byBook = groupBy(ordered, ({ book }) => book);
  const inner = innerBook(memory);
  const fromCard = alive.find(({ source }) => source["inCard"] !== undefined);
  const cardBook = inner && (fromCard?.template.activation?.book ?? inner.name);
  const names = new Set([...Object.keys(sources.source), ...byBook.keys()]);
  return {
    books: [...names]
      .filter((name) => name !== cardBook)
      .map((name) => {
        const source = sources.fields(name).source;
        const listed = listAs(source["entries"], byBook.get(name) ?? []);
        return { name, book: { ...source, ...(listed === undefined ? {} : { entries: listed }) } };
      }),
    embedded: inner && listAs(inner.entries, (byBook.get(cardBook ?? "") ?? []).map(forCard)),
  };
}

/** The book inside the card, where its entries became templates. */
function innerBook(memory: FieldReader): { readonly name: string; readonly entries: JsonValue } | undefined {
  const [card] = memory.each("cards");
  const data = card?.fields.has("data") ? card.fields.fields("data") : card?.fields;
  const entries = data?.fields("character_book").source["entries"];
  const isTaken = entries === "list" || entries === "numbers" || (Array.isArray(entries) && entries.every(isText));
  return isTaken && card ? { name: bookName(readCard(card.fields.source)), entries } : undefined;
}

function isText(value: JsonValue): value is string {
  return typeof value === "string";
}

/** Entries as their book lists them: a list, or an object with numbers or names as keys. New ones get a key of their own. */
function listAs(form: JsonValue | undefined, entries: readonly ExportedEntry[]): JsonValue | undefined {
  const isKnown = form === "list" || form === "numbers" || Array.isArray(form);
  if (!isKnown && entries.length === 0) return form === undefined ? {} : form;
  const keys = Array.isArray(form) ? form.filter(isText) : [];
  const places = new Map(keys.map((key, index) => [key, index]));
  const placeOf = ({ key }: ExportedEntry): number => places.get(key) ?? (/^\d+$/.test(key) ? Number(key) : Infinity);
  const sorted = entries.toSorted((a, b) => Number(a.isNew) - Number(b.isNew) || placeOf(a) - placeOf(b) || 0);
  if (form === "list") return sorted.map(({ fields }) => fields);
  const taken = new Set<string>();
  return Object.fromEntries(
    sorted.map(({ key, fields }) => {
      let own = key;
      for (let next = sorted.length; taken.has(own); next += 1) own = String(next);
      taken.add(own);
      return [own, fields];
    }),
  );
}

/** An entry with its rules: as it was imported, but for what was edited. */
function livingEntry(item: ExportItem, report: ImportReport): ExportedEntry {
  const { source, step, strategy, template } = item;
  const memory = readFields(source);
  const isInCard = memory.has("inCard");
  const kept = isInCard ? convertEntry(memory.fields("inCard")) : memory.fields("entry").source;
  const own = template.activation?.text ?? template.content ?? "";
  const isAsImported = source["imported"] === (template.content ?? "");
  const content = isAsImported && typeof source["content"] === "string" ? source["content"] : own;
  const whole = memory.text("prefix") + content;
  const before = typeof kept["position"] === "number" ? kept["position"] : undefined;
  const position =
    template.activation?.nowhere || template.activation?.outlet !== undefined ? before : positionOf(item, before ?? 0);
  const isOff = step?.enabled !== true;
  const changes: JsonObject = {
    ...editedRules(item, kept, whole),
    ...(position === before ? {} : { position }),
    ...(position === 4 && typeof kept["depth"] === "number" && kept["depth"] !== strategy.depth
      ? { depth: strategy.depth }
      : {}),
    ...(position === 4 && readRole(kept["role"]) !== item.role ? { role: roleNumbers.indexOf(item.role) } : {}),
    ...(isOff === Boolean(kept["disable"]) ? {} : { disable: isOff }),
  };
  const uid = memory.number("uid") ?? 0;
  const isKept = kept["content"] !== true && isAsImported && "content" in kept;
  const text = isKept || (whole === "" && !("content" in kept)) ? {} : { content: whole };
  const inCard = memory.fields("inCard").source;
  return {
    ...placed,
    book: memory.text("book"),
    key: memory.text("key", String(uid)),
    uid,
    fields: { ...kept, ...text, ...changes },
    ...(isInCard && { inCard: { ...inCard, ...cardFields({ ...text, ...changes }, inCard, item.path, report) } }),
  };
}

/** A message that was written here and comes by its keys. */
function newEntry(item: ExportItem, index: number, report: ImportReport): ExportedEntry {
  const { template, step, strategy, path } = item;
  const activation = template.activation ?? {};
  const uid = typeof activation.uid === "number" ? activation.uid : index;
  const lost = foreignRules(activation);
  if (lost.length > 0) report.unsupported(path, `SillyTavern's entries cannot say this: ${lost.join(", ")}.`);
  const fields: JsonObject = {
    uid,
    comment: template.name ?? template.id,
    content: item.content,
    ...newRules(activation),
    position: activation.outlet === undefined ? positionOf(item, 0) : 7,
    ...(strategy.depth === undefined ? {} : { depth: strategy.depth }),
    role: roleNumbers.indexOf(item.role),
    disable: step?.enabled !== true,
  };
  const book = activation.book ?? "Galley";
  return { ...placed, book, key: String(uid), uid, isNew: true, fields };
}

/** An entry for the book inside a card. */
function forCard(entry: ExportedEntry): ExportedEntry {
  const { uid, fields } = entry;
  return { ...entry, fields: entry.inCard ?? { id: uid, ...cardFields(fields, {}, "", importReport()) } };
}

const roleNumbers = ["system", "user", "assistant"];

/** The messages of an example are not put together again. */
function reportEditedExamples(items: readonly ExportItem[], report: ImportReport): void {
  const edited = items.filter(
    ({ from, source, content, step }) =>
      from === "entry-part" && (source["imported"] !== content || step === undefined),
  );
  for (const [entry, [first]] of groupBy(edited, ({ source }) => readFields(source).text("entry"))) {
    report.unsupported(
      first?.path ?? "",
      `The example dialogue of ${entry} was edited here; it is written as it was imported.`,
    );
  }
}

function entryOf(item: ExportItem, report: ImportReport): ExportedEntry {
  const { source, step, strategy } = item;
  const memory = readFields(source);
  const entry = memory.fields("entry");
  const kept = entry.source;
  const position = positionOf(item, entry.number("position") ?? 0);
  const isOn = step?.enabled === true;
  const wasOn = kept["constant"] === true && kept["disable"] !== true;
  // An entry around the examples is several messages here; its text is the one that was imported.
  const own = item.template.content ?? "";
  const isAsImported = source["imported"] === undefined || source["imported"] === own;
  const content = typeof source["content"] === "string" && isAsImported ? source["content"] : own;
  if (isOn && !wasOn) report.converted(item.path, "The entry is on here, and is written as one that is always on.");
  const decorators = Array.isArray(kept["decorators"])
    ? kept["decorators"].filter((line) => typeof line === "string")
    : [];
  const { decorators: _decorators, ...fields } = kept;
  const uid = memory.number("uid") ?? 0;
  return {
    book: memory.text("book"),
    key: String(uid),
    uid,
    order: entry.number("order") ?? 100,
    rank: item.order,
    place: [position, strategy.depth ?? "", item.role, position === 4 && kept["depth"] === null ? "without depth" : ""]
      .join(" ")
      .trim(),
    isRising: position !== 5,
    isNew: false,
    fields: {
      ...fields,
      content: [...decorators, content].join("\n"),
      position,
      ...(position === 4 && kept["depth"] !== null ? { depth: strategy.depth } : {}),
      ...(position === 4 ? { role: roleNumbers.indexOf(item.role) } : {}),
      ...(isOn && !wasOn ? { constant: true, disable: false } : {}),
      ...(!isOn && wasOn ? { disable: true } : {}),
    },
  };
}

/** Where it stands now; what it was decides between places that look the same here. */
function positionOf({ strategy }: ExportItem, before: number): number {
  const { depth, anchorTarget, anchorPosition } = strategy;
  if (depth !== undefined) return before === 2 || before === 3 ? before : 4;
  if (anchorTarget === "worldInfoBefore") return 0;
  if (anchorTarget === "worldInfoAfter") return 1;
  if (anchorTarget !== "dialogueExamples") return before;
  return anchorPosition === "before" ? 5 : 6;
}

function unplacedEntry(fields: FieldReader): ExportedEntry {
  const entry = fields.fields("entry").source;
  const uid = fields.number("uid") ?? 0;
  return {
    ...placed,
    book: fields.text("book"),
    key: String(uid),
    uid,
    order: typeof entry["order"] === "number" ? entry["order"] : 100,
    fields: { ...entry, content: fields.text("content") },
  };
}

/** The numbers that were there, where they still give the sequence of the preset; else new ones. */
function withOrders(entries: readonly ExportedEntry[], report: ImportReport): ExportedEntry[] {
  return [...groupBy(entries, ({ place }) => place)].flatMap(([place, list]) => {
    if (place === "") return list.map(numbered);
    const rising = list.toSorted((a, b) => (a.isRising ? b.rank - a.rank : a.rank - b.rank));
    const isRight = rising.every((entry, index) => {
      const before = rising[index - 1];
      return (
        !before ||
        before.order < entry.order ||
        (before.order === entry.order && before.book === entry.book && before.uid > entry.uid)
      );
    });
    if (isRight) return list.map(numbered);
    report.converted(`entries at ${place}`, "Their order was renumbered, so that they are sent in the same sequence.");
    return rising.map((entry, index) => numbered({ ...entry, order: index + 1 }));
  });
}

function numbered(entry: ExportedEntry): ExportedEntry {
  const { uid, order, fields } = entry;
  return { ...entry, fields: { ...fields, uid, order } };
}
