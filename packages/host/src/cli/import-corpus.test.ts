import { readFileSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import {
  type MessageEntry,
  type ModelMessage,
  type Preset,
  type SessionEntry,
  type TavernFile,
  build,
  composePreset,
  importReport,
  importTavern,
  loadTokenizer,
  parsePreset,
  readTavernFile,
  toOpenAiChat,
  tokenAccount,
} from "@galley/engine";
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

  function importCase(recorded: Recorded): { readonly preset: Preset; readonly entries: readonly SessionEntry[] } {
    const { card, preset, worlds = [], note, power, type } = recorded.case;
    const files = [
      read(card),
      preset === undefined ? stockPreset(recorded) : read(preset),
      ...worlds.map(({ name, file }) => read(file, name)),
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

  const cases = ["expected", "probes/expected"].flatMap((folder) =>
    readdirSync(at(folder)).map((file): Recorded => JSON.parse(readFileSync(at(join(folder, file)), "utf8")) as Recorded),
  );
  const tokenizer = loadTokenizer("o200k_base");

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

  test("[X1] the 26 recorded cases are built message by message as SillyTavern sent them", async () => {
    const account = tokenAccount(await tokenizer);
    const rows = cases.map((recorded) => {
      const { preset, entries } = importCase(recorded);
      parsePreset(JSON.stringify(preset));
      const history = entries.filter((entry): entry is MessageEntry => entry.type === "message");
      const composed = firstDifference(recorded, composePreset({ preset, history }).messages);
      const config = { maxInputTokens: 1_000_000 };
      const built = firstDifference(recorded, build({ preset, entries, account, config }).messages);
      return { id: recorded.case.id, messages: recorded.messages.length, why: composed || built };
    });
    const table = rows.map(({ id, messages, why }) => `${why === "" ? "equal" : "DIFFERS"}  ${id} (${messages})  ${why.slice(0, 600)}`);
    process.stdout.write(`${table.join("\n")}\n`);
    expect(rows.length).toBe(26);
    expect(rows.filter((row) => row.why !== "").map((row) => row.id)).toEqual([]);
  });
});
