import { isDeepStrictEqual } from "node:util";
import { type MessageEntry, composePreset, formatSession, parsePreset, parseSession } from "@galley/engine";
import {
  type TavernFile,
  type TavernKind,
  tavernKinds,
  exportTavern,
  importReport,
  importTavern,
  readTavernFile,
} from "@galley/engine/sillytavern";
import { type Chance, type FuzzRounds, fuzz, fuzzSeed, roundsOf } from "@galley/engine/testing";
import { expect, test } from "vitest";
import { claimFault } from "./claim-fault.ts";
import { corpusFiles, spoilFile } from "./fuzz-sources.ts";
import { afterwards, missing, verdictOf } from "./fuzz-verdict.ts";
import { macroCard, spoilPicture, tavernSources } from "./tavern-sources.ts";

const read = (bytes: Uint8Array, as?: TavernKind): TavernFile =>
  readTavernFile(bytes, { name: "file", ...(as ? { as } : {}) }, importReport());
const written = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** A file that is read is imported, builds, and comes back with all that nobody here knows. */
function importWhole(bytes: Uint8Array, as?: TavernKind): void {
  const file = read(bytes, as);
  const { preset, entries } = importTavern([file], { useEmbeddedBook: true });
  afterwards("what was imported builds", () => {
    const again = parsePreset(JSON.stringify(preset)).preset;
    const session = parseSession(formatSession(entries));
    expect(session.problems).toEqual([]);
    composePreset({ preset: again, history: entries.filter((one): one is MessageEntry => one.type === "message") });
    const { preset: out, books } = exportTavern(again);
    const back = [read(written(out), "preset"), ...books.map(({ book }) => read(written(book), "world-info"))];
    parsePreset(JSON.stringify(importTavern(back).preset));
    if (file.kind === "preset") keeps(file.source, out);
  });
}

/** Fields that an export writes itself. */
const ownFields = new Set([
  "prompts",
  "prompt_order",
  "new_chat_prompt",
  "new_example_chat_prompt",
  "wi_format",
  "continue_nudge_prompt",
  "squash_system_messages",
]);

function keeps(source: Readonly<Record<string, unknown>>, out: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(source)) {
    const isKept = ownFields.has(key) || isDeepStrictEqual(JSON.parse(JSON.stringify(value)), out[key]);
    if (!isKept) throw new Error(`The export has lost ${JSON.stringify(key)}.`);
  }
}

const sources = [...tavernSources, ...corpusFiles("cards", "lorebooks", "presets", "chats", "probes")];

function oneFile(chance: Chance): Uint8Array {
  if (chance.oneIn(12)) return macroCard(chance);
  return chance.oneIn(8) ? spoilPicture(chance) : spoilFile(chance.pick(sources), chance);
}

const rounds: FuzzRounds = { few: 600, many: 20_000 };

test(
  `[E] SillyTavern's files with something wrong in them: a preset that builds, or a clear error (seed ${fuzzSeed})`,
  { timeout: 1_800_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "cards, pictures, lorebooks, presets, chats and personas of SillyTavern with something wrong in them",
      holds: "a preset that builds and comes back with every field, or an error with its code; nothing else is thrown",
      rounds: roundsOf(rounds),
      seed: fuzzSeed,
    });
    const verdicts = new Set<string>();
    await fuzz("import", rounds, (chance) => {
      const bytes = oneFile(chance);
      const as = chance.oneIn(8) ? chance.pick(tavernKinds) : undefined;
      verdicts.add(verdictOf(() => importWhole(bytes, as)));
    });
    expect(missing(verdicts, ["ImportFailed", "InvalidJson", "fine"])).toEqual([]);
  },
);
