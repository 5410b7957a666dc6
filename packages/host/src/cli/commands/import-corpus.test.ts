import { readFileSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import {
  type MessageEntry,
  type ModelMessage,
  build,
  composePreset,
  exportTavern,
  importReport,
  importTavern,
  loadTokenizer,
  parsePreset,
  readTavernFile,
  toOpenAiChat,
  tokenAccount,
} from "@galley/engine";
import type { TavernFile, TavernImport } from "@galley/engine/sillytavern";
import { describe, expect, test } from "vitest";

// SillyTavern's own files and what it sent for them are not ours to publish: these tests run where the corpus is.
const corpus = process.env["GALLEY_CORPUS"];

interface Recorded {
  readonly case: {
    readonly id: string;
    readonly card: string;
    readonly chat?: string;
    readonly preset?: string;
    readonly worlds?: readonly { readonly name: string; readonly file: string }[];
    readonly note?: object;
    readonly power?: object;
    readonly append?: readonly string[];
    readonly type?: string;
  };
  readonly name1: string;
  readonly activated: readonly { readonly world: string; readonly uid: number }[];
  readonly messages: readonly { readonly role: string; readonly content: string; readonly name?: string }[];
  readonly settings: { readonly oai: Readonly<Record<string, unknown>> };
}

describe.skipIf(corpus === undefined)("the corpus", () => {
  const at = (path: string): string =>
    join(corpus ?? "", path.replace(/^data\//, "").replace(/^st-oracle\/probes\//, "probes/"));
  const read = (path: string, name = basename(path, extname(path))): TavernFile =>
    readTavernFile(readFileSync(at(path)), { name }, importReport());
  const fromJson = (value: unknown, name = ""): TavernFile =>
    readTavernFile(Buffer.from(JSON.stringify(value)), { name }, importReport());

  /** The preset in force where a case names none: the recorded settings, and the prompts of the stock preset. */
  function stockPreset({ settings, case: { type }, messages }: Recorded): TavernFile {
    const { prompts } = JSON.parse(readFileSync(at("presets/Default.json"), "utf8")) as { prompts: unknown };
    const { prompt_order: order, ...fields } = settings.oai;
    // The recorded settings lack this one text: it is an input that only the output shows.
    const nudge = type === "continue" ? { continue_nudge_prompt: messages.at(-1)?.content } : {};
    return fromJson({ ...fields, ...nudge, prompts, prompt_order: [{ character_id: 100_001, order }] }, "stock");
  }

  function chatOf({ case: { chat, append = [] }, name1 }: Recorded): TavernFile[] {
    if (chat === undefined) return [];
    const lines = append.map((mes) => JSON.stringify({ name: name1, is_user: true, mes }));
    const text = [readFileSync(at(chat), "utf8"), ...lines].join("\n");
    return [readTavernFile(Buffer.from(text), { name: "chat" }, importReport())];
  }

  /** The files of a case; the preset and the books may be others than the recorded ones. */
  function importCase(recorded: Recorded, replaced?: readonly TavernFile[]): TavernImport {
    const { card, preset, worlds = [], note, power, type } = recorded.case;
    const own = replaced ?? [
      preset === undefined ? stockPreset(recorded) : read(preset),
      ...worlds.map(({ name, file }) => read(file, name)),
    ];
    const files = [
      read(card),
      ...own,
      ...chatOf(recorded),
      ...(note ? [fromJson(note)] : []),
      ...(power ? [fromJson(power)] : []),
    ];
    return importTavern(files, {
      user: recorded.name1,
      activated: recorded.activated,
      isContinued: type === "continue",
    });
  }

  // Read by the tests that need them: this body runs where there is no corpus, too.
  const readCases = (): readonly Recorded[] =>
    ["expected", "probes/expected"].flatMap((folder) =>
      readdirSync(at(folder)).map(
        (file): Recorded => JSON.parse(readFileSync(at(join(folder, file)), "utf8")) as Recorded,
      ),
    );

  function firstDifference(recorded: Recorded, messages: readonly ModelMessage[]): string {
    const ours = toOpenAiChat({ messages }).request.messages;
    for (let index = 0; index < Math.max(ours.length, recorded.messages.length); index += 1) {
      const [mine, theirs] = [ours[index], recorded.messages[index]];
      const isSame =
        mine?.role === theirs?.role &&
        mine?.content === theirs?.content &&
        (mine && "name" in mine ? mine.name : undefined) === theirs?.name;
      if (!isSame) return `message ${index + 1}: ${JSON.stringify(mine)} instead of ${JSON.stringify(theirs)}`;
    }
    return "";
  }

  function messagesOf({ preset, entries }: TavernImport): readonly ModelMessage[] {
    const history = entries.filter((entry): entry is MessageEntry => entry.type === "message");
    return composePreset({ preset, history }).messages;
  }

  test("[X1] the 26 recorded cases are composed and built message by message as SillyTavern sent them", async () => {
    const account = tokenAccount(await loadTokenizer("o200k_base"));
    const rows = readCases().map((recorded) => {
      const imported = importCase(recorded);
      const { preset } = parsePreset(JSON.stringify(imported.preset));
      const composed = firstDifference(recorded, messagesOf({ ...imported, preset }));
      const config = { maxInputTokens: 1_000_000 };
      const built = build({ preset, entries: imported.entries, account, config });
      return {
        id: recorded.case.id,
        count: recorded.messages.length,
        why: composed || firstDifference(recorded, built.messages),
      };
    });
    const table = rows.map(
      ({ id, count, why }) => `${why === "" ? "equal  " : "differs"}  ${id}  ${count} messages  ${why.slice(0, 600)}`,
    );
    process.stdout.write(`${table.join("\n")}\n`);
    expect(rows.length).toBe(26);
    expect(rows.filter((row) => row.why !== "").map((row) => row.id)).toEqual([]);
  });

  test("[X1] what is exported and imported again builds the same list", () => {
    const differences = readCases().flatMap((recorded) => {
      const { preset, books } = exportTavern(importCase(recorded).preset);
      const again = importCase(recorded, [
        fromJson(preset, "again"),
        ...books.map(({ name, book }) => fromJson(book, name)),
      ]);
      const why = firstDifference(recorded, messagesOf(again));
      return why === "" ? [] : [`${recorded.case.id}  ${why.slice(0, 600)}`];
    });
    expect(differences).toEqual([]);
  });

  test("[X1] every card, book, preset and chat of the corpus is recognised and imported alone", () => {
    const kinds = ["cards", "lorebooks", "presets", "chats"].flatMap((folder) =>
      readdirSync(at(folder)).map((name) => {
        const file = read(join(folder, name));
        const { preset } = importTavern([file], { activated: "all" });
        parsePreset(JSON.stringify(preset));
        expect(composePreset({ preset }).ledger.filter((row) => row.rule === "unresolved-anchor")).toEqual([]);
        return `${folder} ${file.kind}`;
      }),
    );
    expect(new Set(kinds)).toEqual(new Set(["cards card", "lorebooks world-info", "presets preset", "chats chat"]));
    expect(kinds.length).toBeGreaterThan(30);
  });
});
