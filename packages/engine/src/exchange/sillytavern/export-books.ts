import type { JsonObject } from "../../model/messages.ts";
import type { ExportItem } from "./export-items.ts";
import { type ImportReport, importReport } from "../files/import-report.ts";
import { type FieldReader, readFields } from "../files/read-fields.ts";

interface ExportedEntry {
  readonly book: string;
  readonly uid: number;
  readonly order: number;
  /** Within one place, what is sent first has the highest rank. */
  readonly rank: number;
  readonly place: string;
  readonly isRising: boolean;
  readonly fields: JsonObject;
}

/** World info as it was imported, with the texts, places and switches that it has now. */
export function exportBooks(
  items: readonly ExportItem[],
  memory: FieldReader,
  report: ImportReport,
): { readonly name: string; readonly book: JsonObject }[] {
  const entries = [
    ...items.filter((item) => item.from === "entry").map((item) => entryOf(item, report)),
    ...memory.each("entries").map(({ fields }) => unplacedEntry(fields)),
  ];
  reportEditedExamples(items, report);
  const ordered = withOrders(entries, report);
  const sources = memory.fields("books");
  const byBook = Map.groupBy(ordered, ({ book }) => book);
  return [...new Set([...Object.keys(sources.source), ...byBook.keys()])].map((name) => {
    const own = (byBook.get(name) ?? []).toSorted((a, b) => a.uid - b.uid);
    return {
      name,
      book: {
        ...sources.fields(name).source,
        entries: Object.fromEntries(own.map(({ uid, fields, order }) => [String(uid), { ...fields, uid, order }])),
      },
    };
  });
}

/** The messages of an example are not put together again. */
function reportEditedExamples(items: readonly ExportItem[], report: ImportReport): void {
  const edited = items.filter(
    ({ from, source, content, step }) =>
      from === "entry-part" && (source["imported"] !== content || step === undefined),
  );
  for (const [entry, [first]] of Map.groupBy(edited, ({ source }) =>
    readFields(source, importReport()).text("entry"),
  )) {
    report.unsupported(
      first?.path ?? "",
      `The example dialogue of ${entry} was edited here; it is written as it was imported.`,
    );
  }
}

function entryOf(item: ExportItem, report: ImportReport): ExportedEntry {
  const { source, step, strategy } = item;
  const memory = readFields(source, importReport());
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
  return {
    book: memory.text("book"),
    uid: memory.number("uid") ?? 0,
    order: entry.number("order") ?? 100,
    rank: item.order,
    place: [position, strategy.depth ?? "", item.role, position === 4 && kept["depth"] === null ? "without depth" : ""]
      .join(" ")
      .trim(),
    isRising: position !== 5,
    fields: {
      ...fields,
      content: [...decorators, content].join("\n"),
      position,
      ...(position === 4 && kept["depth"] !== null ? { depth: strategy.depth } : {}),
      ...(position === 4 ? { role: ["system", "user", "assistant"].indexOf(item.role) } : {}),
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
  return {
    book: fields.text("book"),
    uid: fields.number("uid") ?? 0,
    order: typeof entry["order"] === "number" ? entry["order"] : 100,
    rank: 0,
    place: "",
    isRising: true,
    fields: { ...entry, content: fields.text("content") },
  };
}

/** The numbers that were there, where they still give the sequence of the preset; else new ones. */
function withOrders(entries: readonly ExportedEntry[], report: ImportReport): ExportedEntry[] {
  return [...Map.groupBy(entries, ({ place }) => place)].flatMap(([place, list]) => {
    if (place === "") return list;
    const rising = list.toSorted((a, b) => (a.isRising ? b.rank - a.rank : a.rank - b.rank));
    const isRight = rising.every((entry, index) => {
      const before = rising[index - 1];
      return (
        !before ||
        before.order < entry.order ||
        (before.order === entry.order && before.book === entry.book && before.uid > entry.uid)
      );
    });
    if (isRight) return list;
    report.converted(`entries at ${place}`, "Their order was renumbered, so that they are sent in the same sequence.");
    return rising.map((entry, index) => ({ ...entry, order: index + 1 }));
  });
}
