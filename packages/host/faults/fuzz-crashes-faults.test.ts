import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import {
  GalleyError,
  build,
  formatSession,
  parsePreset,
  parseSession,
  recordBuild,
  replay,
  tokenAccount,
  tokenizerForModel,
} from "@galley/engine";
import { importReport, importTavern, readTavernFile } from "@galley/engine/sillytavern";
import { afterAll, expect, test } from "vitest";
import type { Chat } from "../src/chat/chat.ts";
import { doctor } from "../src/chat/doctor/doctor.ts";
import { openChat } from "../src/chat/open-chat.ts";
import { openStore } from "../src/store/open-store.ts";
import { afterwards, verdictOf, verdictOfAsync } from "./fuzz-verdict.ts";

// What fuzzing has found, each as small as it could be made. The first word of a name says how it is read.
const crashes = fileURLToPath(new URL("crashes", import.meta.url));
const named = (kind: string): string[] => readdirSync(crashes).filter((name) => name.startsWith(`${kind}-`));
const read = (name: string): string => readFileSync(join(crashes, name), "utf8");
const account = tokenAccount(await tokenizerForModel("unknown"));

const root = mkdtempSync(join(tmpdir(), "galley-crashes-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A chat with one archive that says "tea". */
async function chatWithArchive(): Promise<{ readonly folder: string; readonly chat: Chat }> {
  const folder = mkdtempSync(join(root, "chat-"));
  const chat = await openChat(folder, "demo");
  await chat.append([
    { role: "user", content: "Where is the tea?" },
    { role: "assistant", content: "Here." },
  ]);
  await chat.newContext();
  return { folder, chat };
}

test("every crash is of a kind that is read here", () => {
  const kinds = ["import", "session", "archive", "redactions", "active"];
  expect(readdirSync(crashes).filter((name) => !kinds.some((kind) => named(kind).includes(name)))).toEqual([]);
});

test.each(named("import"))("[E] %s is imported, or a clear error", (name) => {
  const verdict = verdictOf(() => {
    const file = readTavernFile(Buffer.from(read(name)), { name }, importReport());
    const { preset } = importTavern([file]);
    afterwards("what was imported can be read", () => void parsePreset(JSON.stringify(preset)));
  });
  expect(["fine", "ImportFailed", "InvalidJson"]).toContain(verdict);
});

test.each(named("session"))(
  "[M2] %s is read without losing a line, builds and is replayed, or says why not",
  (name) => {
    const { entries, problems } = parseSession(read(name));
    expect(entries.length + problems.length).toBe(read(name).trimEnd().split("\n").length);
    expect(parseSession(formatSession(entries)).entries).toEqual(entries);
    const request = { entries, account, config: { maxInputTokens: 1000 } };
    afterwards("it builds", () => void recordBuild(request, build(request)));
    expect(["fine", "SessionInvalid"]).toContain(verdictOf(() => void [...replay(entries, account)]));
  },
);

test.each(named("archive"))(
  "[W8] %s keeps no other archive from being found, nor doctor from its work",
  async (name) => {
    const { folder, chat } = await chatWithArchive();
    writeFileSync(join(chat.folder, "contexts/archive/c_20260101_crash.json"), read(name));
    expect((await chat.searchContexts("tea")).length).toBe(1);
    await chat.close();
    expect((await doctor(folder, { fix: true })).length).toBe(1);
  },
);

test.each(named("active"))("[W10] %s is told, and doctor --fix leaves a chat that can be switched", async (name) => {
  const { folder, chat } = await chatWithArchive();
  writeFileSync(join(chat.folder, "contexts/active.jsonl"), read(name));
  expect(await verdictOfAsync(() => chat.newContext())).toBe("DataDamaged");
  await chat.close();
  expect((await doctor(folder, { fix: true })).flatMap(({ left }) => left)).toEqual([]);
  const again = await openChat(folder, "demo");
  expect((await again.newContext()).archived?.messageCount).toBe(2);
  await again.close();
});

test.each(named("redactions"))(
  "[W10] %s is told by doctor --fix, which looks at the other chats as well",
  async (name) => {
    const { folder, chat } = await chatWithArchive();
    writeFileSync(join(chat.folder, "conversations/redactions.jsonl"), read(name));
    await chat.close();
    const other = await openChat(folder, "other");
    await other.append([{ role: "user", content: "x" }]);
    await other.close();
    const health = await doctor(folder, { fix: true });
    expect(health.map(({ chatKey, left }) => [chatKey, left.length])).toEqual([
      ["demo", 1],
      ["other", 0],
    ]);
  },
);

test.each([
  "UPDATE terms_config SET v = 0 WHERE k = 'version'",
  "DELETE FROM terms_config",
  "DELETE FROM notes",
  "DROP TABLE texts",
  "UPDATE archives SET context_id = 'c_/../odd'",
  "ALTER TABLE archives RENAME COLUMN stamp TO other",
])("[W8] a search index after %s is made again", async (sql) => {
  const { folder, chat } = await chatWithArchive();
  await chat.searchContexts("tea");
  await chat.close();
  const index = new DatabaseSync(join(chat.folder, "contexts/search.sqlite"), { defensive: false });
  index.exec(sql);
  index.close();
  const again = await openChat(folder, "demo");
  expect((await again.searchContexts("tea")).length).toBe(1);
  await again.append([
    { role: "user", content: "rope" },
    { role: "assistant", content: "ok" },
  ]);
  await again.newContext();
  expect((await again.searchContexts("rope")).length).toBe(1);
  await again.close();
});

test.each([
  ["UPDATE session_entries SET body = '{'", "StoreDamaged"],
  // The file is sound, and nobody is told to move it away.
  ["DROP TABLE session_entries", "StoreVersion"],
  ["ALTER TABLE session_entries RENAME COLUMN body TO other", "StoreVersion"],
])("[E] a store after %s says %s", async (sql, code) => {
  const data = mkdtempSync(join(root, "store-"));
  const session = { projectId: "p", sessionId: "s" };
  const entry = { id: "e1", ts: 1, type: "message", message: { role: "user", content: "hi" } } as const;
  const store = await openStore({ data });
  await store.sessions.append(session, [entry]);
  await store.close();
  const name = readdirSync(data).find((file) => file.endsWith(".sqlite")) ?? "";
  const database = new DatabaseSync(join(data, name), { enableForeignKeyConstraints: false });
  database.exec(sql);
  database.close();
  const verdict = await verdictOfAsync(async () => {
    const again = await openStore({ data });
    try {
      await again.sessions.read(session);
    } finally {
      await again.close();
    }
  });
  expect(verdict).toBe(code);
});

test("the verdict takes no other exception for an answer", () => {
  expect(() => verdictOf(() => void JSON.parse("{"))).toThrow(SyntaxError);
  expect(() =>
    verdictOf(() => {
      throw new GalleyError("Unexpected", "x");
    }),
  ).toThrow("x");
});
