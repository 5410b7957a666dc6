import { readFileSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { composePreset, loadTokenizer, parsePreset, toOpenAiChat, tokenAccount } from "@galley/engine";
import {
  type TavernFile,
  type TavernImport,
  type TavernKind,
  exportTavern,
  importReport,
  importTavern,
  readTavernFile,
} from "@galley/engine/sillytavern";
import { describe, expect, test } from "vitest";
import {
  type Sent,
  type Turn,
  at,
  buildCase,
  corpus,
  firstDifference,
  fromJson,
  importCase,
  play,
  read,
  readCases,
  startPlaying,
} from "../../testing/tavern-recordings.ts";

/** Every file of the corpus that SillyTavern itself could read. */
function tavernFiles(): string[] {
  return ["cards", "chats", "lorebooks", "presets", "probes", "st2", "keywords"]
    .flatMap((folder) => readdirSync(join(corpus ?? "", folder), { recursive: true, withFileTypes: true }))
    .filter((item) => item.isFile() && !/^(?:cases.*\.json|.*\.md)$/.test(item.name))
    .filter((item) => !item.parentPath.endsWith("expected"))
    .map((item) => join(item.parentPath, item.name));
}

/** The one file of an export that is of this kind. */
function documentOf(kind: TavernKind, { preset, entries }: TavernImport): string {
  const out = exportTavern(preset, { entries });
  if (kind === "chat") return out.chat ?? "";
  return JSON.stringify(kind === "card" ? out.cards[0]?.card : kind === "world-info" ? out.books[0]?.book : out.preset);
}

function shown({ preset, entries }: TavernImport): string {
  return JSON.stringify({ preset, entries });
}

function sourceOf(file: TavernFile, bytes: Buffer): string {
  if (file.kind === "card") return JSON.stringify(file.source);
  const lines =
    file.kind === "chat"
      ? bytes
          .toString()
          .split("\n")
          .filter((line) => line.trim() !== "")
      : [];
  if (file.kind !== "chat") return JSON.stringify(JSON.parse(bytes.toString().replace(/^\uFEFF/, "")));
  return lines.map((line) => `${JSON.stringify(JSON.parse(line))}\n`).join("");
}

describe.skipIf(corpus === undefined)("the corpus", () => {
  test("[X1][K1] every recorded generation is built message by message as SillyTavern sent it", async () => {
    const account = tokenAccount(await loadTokenizer("o200k_base"));
    const rows = readCases().flatMap((recorded) => play(recorded, account));
    const table = rows.map(({ id, sent, why, drawn }) => {
      const fate = why !== "" ? "differs" : drawn === "" ? "equal  " : "drawn  ";
      return `${fate}  ${id}  ${sent.messages.length} messages  ${drawn}${why.slice(0, 600)}`;
    });
    const drawn = rows.filter((row) => row.drawn !== "");
    const equal = rows.filter((row) => row.why === "").length - drawn.length;
    const others = drawn.map((row) => `, ${row.id} ${row.drawn}`).join("");
    process.stdout.write(`${table.join("\n")}\n${equal} of ${rows.length} generations equal${others}\n`);
    expect(rows.length).toBeGreaterThanOrEqual(177);
    expect(rows.filter((row) => row.why !== "").map((row) => row.id)).toEqual([]);
    expect(drawn.map((row) => row.id)).toEqual(["N08-macros"]);
  });

  test("[X1] what is exported and imported again builds the same list", async () => {
    const account = tokenAccount(await loadTokenizer("o200k_base"));
    const differences = readCases().flatMap((recorded) => {
      if (recorded.turns) return [];
      const playing = startPlaying(recorded);
      const { preset, books } = exportTavern(importCase(recorded, playing).preset);
      const replaced = [fromJson(preset, "again"), ...books.map(({ name, book }) => fromJson(book, name))];
      const turn = recorded.case as Turn;
      const [before, after] = [importCase(recorded, playing), importCase(recorded, playing, { replaced })].map(
        (imported) => buildCase(recorded, imported, turn, account).messages,
      );
      const sent = {
        activated: [],
        messages: toOpenAiChat({ messages: before ?? [] }).request.messages as Sent["messages"],
      };
      const why = firstDifference(sent, after ?? []);
      return why === "" ? [] : [`${recorded.case.id}  ${why.slice(0, 600)}`];
    });
    expect(differences).toEqual([]);
  });

  test("[X1b] every file of the corpus goes out as it came in, and comes in again as the same preset", () => {
    const rows = tavernFiles().map((path) => {
      const bytes = readFileSync(path);
      const name = basename(path, extname(path));
      const file = readTavernFile(bytes, { name }, importReport());
      const first = importTavern([file]);
      const written = documentOf(file.kind, first);
      const again = importTavern([readTavernFile(Buffer.from(written), { name }, importReport())]);
      const isSame = written === sourceOf(file, bytes) && shown(again) === shown(first);
      return `${isSame ? "equal  " : "differs"} ${file.kind} ${path}`;
    });
    expect(rows.length).toBeGreaterThanOrEqual(165);
    expect(rows.filter((row) => !row.startsWith("equal"))).toEqual([]);
  });

  test("[X1] every card, book, preset and chat of the corpus is recognised and imported alone", () => {
    const kinds = ["cards", "lorebooks", "presets", "chats"].flatMap((folder) =>
      [...new Set([at(folder), join(corpus ?? "", folder)])]
        .flatMap((own) => readdirSync(own))
        .map((name) => {
          const file = read(join(folder, name));
          const { preset } = importTavern([file]);
          parsePreset(JSON.stringify(preset));
          expect(composePreset({ preset }).ledger.filter((row) => row.rule === "unresolved-anchor")).toEqual([]);
          return `${folder} ${file.kind}`;
        }),
    );
    expect(new Set(kinds)).toEqual(new Set(["cards card", "lorebooks world-info", "presets preset", "chats chat"]));
    expect(kinds.length).toBeGreaterThan(30);
  });
});
