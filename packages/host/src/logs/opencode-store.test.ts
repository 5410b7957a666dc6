import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { piLog } from "@galley/engine/testing";
import { afterAll, beforeEach, expect, test } from "vitest";
import { factsCache } from "./facts-cache.ts";
import { followLog } from "./follow-log.ts";
import { type LogList, filesOfLog, listLogs } from "./list-logs.ts";
import { importFound } from "./open-log.ts";
import { memory } from "./testing/memory-sessions.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-opencode-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, "home");
const person = { home: folder, env: { XDG_CACHE_HOME: join(folder, "cache") } };
const at = (path: string): string => join(home, path);

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "cache"), { recursive: true, mode: 0o700 });
});

const list = (): Promise<LogList> => {
  const stored = { stored: [], factsOfStored: async (id: string) => ({ id, isWhole: true }), storeName: "data" };
  return listLogs({ ...stored, cache: factsCache(person) }, { home });
};

// The columns that matter, as opencode 1.18 makes them.
const opencodeTables = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL, title TEXT NOT NULL,
    version TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
  CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
    time_updated INTEGER NOT NULL, data TEXT NOT NULL);
  CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);`;

/** A program that works on opencode's database, as it does: it stays open, with a log of what is not in the file yet. */
class OpencodeProgram {
  readonly folder = at(".local/share/opencode");
  readonly file = join(this.folder, "opencode.db");
  readonly #db: DatabaseSync;
  #time = 1_000_000;

  constructor() {
    mkdirSync(this.folder, { recursive: true });
    this.#db = new DatabaseSync(this.file);
    this.#db.exec(opencodeTables);
  }

  session(id: string, title: string, parent: string | null = null): void {
    const insert = this.#db.prepare("INSERT INTO session VALUES (?, ?, '/home/ada/boat', ?, '1.18.33', 0, ?)");
    insert.run(id, parent, title, this.#time);
  }

  say(session: string, id: string, info: object, parts: readonly object[]): void {
    const time = (this.#time += 1000);
    const insert = this.#db.prepare("INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)");
    insert.run(id, session, Number(id.slice(-1)), time, JSON.stringify(info));
    for (const [n, part] of parts.entries()) {
      const put = this.#db.prepare("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)");
      put.run(`prt_${id}_${n}`, id, session, time, time, JSON.stringify(part));
    }
  }

  setTime(session: string, time: number): void {
    this.#db.prepare("UPDATE session SET time_updated = ? WHERE id = ?").run(time, session);
  }

  /** Every byte of the database and its log. Readers in one process share its memory with writers, which is not a file of theirs. */
  bytes(): readonly string[] {
    const names = readdirSync(this.folder).filter((name) => /^opencode\.db(?!-shm)/.test(name));
    return names.toSorted().map((name) => `${name} ${readFileSync(join(this.folder, name), "base64")}`);
  }

  close(): void {
    this.#db.close();
  }
}

function askedAndAnswered(program: OpencodeProgram): void {
  program.session("ses_1", "The keel");
  program.session("ses_2", "Dig (@general)", "ses_1");
  program.say("ses_1", "msg_1", { role: "user", time: { created: 1 } }, [{ type: "text", text: "Look at the keel" }]);
  const state = { status: "completed", input: { f: 1 }, output: "straight\nand long" };
  program.say("ses_1", "msg_2", { role: "assistant", time: { created: 2, completed: 3 }, tokens: { input: 10 } }, [
    { type: "step-start" },
    { type: "tool", callID: "c1", tool: "read", state },
  ]);
  program.say("ses_2", "msg_3", { role: "user", time: { created: 1 } }, [{ type: "text", text: "Dig" }]);
}

test("[L3] sessions in opencode's database are listed and opened while it works, and not a byte of it is changed", async () => {
  const older = at(".local/share/opencode/storage/session/project/ses_1.json");
  mkdirSync(dirname(older), { recursive: true });
  writeFileSync(older, JSON.stringify({ id: "ses_1", title: "As it was" }));
  const program = new OpencodeProgram();
  askedAndAnswered(program);
  const before = program.bytes();
  const { logs, problems } = await list();
  const found = logs.filter(({ agent }) => agent === "opencode");
  const facts = { id: "opencode:ses_1", title: "The keel", folder: "/home/ada/boat", tokens: 10, subagents: 1 };
  // The copy below `storage/` is of an older version, which has moved its sessions.
  expect(found).toMatchObject([{ ...facts, file: `${program.file}#ses_1`, updatedAt: 1_003_000 }]);
  expect(problems).toEqual([]);
  const open = async (from: string): Promise<Map<string, string[]>> => {
    const { logs: made, append } = memory();
    const files = await filesOfLog("opencode:ses_1", { home: from }, factsCache(person));
    await importFound("opencode:ses_1", files, append);
    return made;
  };
  const made = await open(home);
  expect(made.get("opencode:ses_1")?.slice(0, 3)).toEqual(["msg_1", "msg_2", "msg_2/results"]);
  expect(made.get("opencode:ses_2")?.[0]).toBe("msg_3");
  expect(program.bytes()).toEqual(before);
  // A backup may lack the index of the log.
  const copy = join(folder, "copy");
  cpSync(home, copy, { recursive: true });
  rmSync(join(copy, ".local/share/opencode/opencode.db-shm"));
  expect(await open(copy)).toEqual(made);
  expect(readdirSync(join(copy, ".local/share/opencode")).toSorted()).toEqual([
    "opencode.db",
    "opencode.db-wal",
    "storage",
  ]);
  // A program that has ended leaves no log.
  program.close();
  const ended = program.bytes();
  expect(await open(home)).toEqual(made);
  expect(program.bytes()).toEqual(ended);
});

test("[L3] a session in opencode's database is followed; a reply that is still written waits", async () => {
  const program = new OpencodeProgram();
  askedAndAnswered(program);
  const [store, ended] = [memory(), new AbortController()];
  const files = () => filesOfLog("opencode:ses_1", { home }, factsCache(person));
  const steps = followLog(files, store.append, { signal: ended.signal, pollMs: 5, quietMs: 600_000 });
  const ids = (): readonly string[] => store.logs.get("opencode:ses_1") ?? [];
  await steps.next();
  expect(ids()).toContain("msg_2");
  program.say("ses_1", "msg_4", { role: "user" }, [{ type: "text", text: "And?" }]);
  program.say("ses_1", "msg_5", { role: "assistant", time: {} }, [{ type: "text", text: "It" }]);
  while (!ids().includes("msg_4")) await steps.next();
  expect(ids()).not.toContain("msg_5");
  program.say("ses_1", "msg_5", { role: "assistant", time: { completed: 9 } }, [{ type: "text", text: "It is." }]);
  while (!ids().includes("msg_5")) await steps.next();
  ended.abort();
  await steps.next();
  program.close();
});

test("[L3] a database that cannot be read is said, and the others are listed", async () => {
  const pi = at(".pi/agent/sessions/--boat--/2026_p1.jsonl");
  for (const [path, text] of [
    [at(".local/share/opencode/opencode.db"), "not a database, however long this text may be".repeat(100)],
    [pi, piLog],
  ] as const) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const { logs, problems } = await list();
  expect(logs.map(({ id }) => id)).toEqual(["pi:p1"]);
  expect(problems).toEqual([expect.stringMatching(/opencode\.db cannot be read \(file is not a database\)/)]);
  await expect(filesOfLog("opencode:ses_1", { home }, factsCache(person))).rejects.toThrow("No agent on this machine");
});

const tables = `CREATE TABLE session (id, parent_id, directory, title, version, time_created, time_updated);
  CREATE TABLE message (id, session_id, time_created, time_updated, data);
  CREATE TABLE part (id, message_id, session_id, time_created, time_updated, data);`;
const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT";

test.each([
  [
    "a view that never ends",
    `${tables.replace(/CREATE TABLE session.*?;/, "")}
    CREATE VIEW session AS ${endless} i AS id, i AS parent_id, i AS directory, i AS title, i AS version, i AS time_updated FROM n WHERE i < 0;`,
  ],
  ["a column that is computed", tables.replace("(id, session_id,", "(id, session_id AS (zeroblob(1000000000)),")],
  [
    "a table of a module",
    `${tables.replace(/CREATE TABLE part.*?;/, "")} CREATE VIRTUAL TABLE part USING fts5(id, message_id, session_id, time_updated, data);`,
  ],
  ["no such tables", "CREATE TABLE notes (id);"],
])("a database in opencode's place with %s is a problem that is told, and nothing of it is run", async (_, sql) => {
  const file = at(".local/share/opencode/opencode.db");
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
  const { logs, problems } = await list();
  expect(logs).toEqual([]);
  expect(problems).toMatchObject([expect.stringContaining(`${file} cannot be read`)]);
});

test("ids and times that opencode would not write are passed over", async () => {
  const program = new OpencodeProgram();
  for (const id of ["ses_\n../../x", "chat:main", "ses_1#ses_2", ""]) program.session(id, "odd");
  askedAndAnswered(program);
  program.setTime("ses_1", 1e300);
  const { logs, problems } = await list();
  // That of its sub-agent.
  expect([logs.map(({ id, updatedAt }) => [id, updatedAt]), problems]).toEqual([[["opencode:ses_1", 1_003_000]], []]);
  await expect(filesOfLog("opencode:chat:main", { home }, factsCache(person))).rejects.toMatchObject({
    code: "NotFound",
  });
  program.close();
});

test("a pipe, a device or a folder among opencode's files is passed over, and nothing waits for it", async () => {
  const storage = at(".local/share/opencode/storage");
  const put = (path: string, document: object): void => {
    mkdirSync(dirname(join(storage, path)), { recursive: true });
    writeFileSync(join(storage, path), JSON.stringify(document));
  };
  put("session/project/ses_1.json", { id: "ses_1", title: "The keel" });
  put("message/ses_1/msg_1.json", { id: "msg_1", role: "user", sessionID: "ses_1" });
  put("part/msg_1/prt_1.json", { id: "prt_1", type: "text", text: "Look at the keel" });
  execFileSync("mkfifo", [join(storage, "message/ses_1/msg_0.json"), join(storage, "part/msg_1/prt_0.json")]);
  symlinkSync("/dev/zero", join(storage, "part/msg_1/prt_2.json"));
  mkdirSync(join(storage, "message/ses_1/msg_2.json"));
  symlinkSync("nowhere", join(storage, "message/ses_1/msg_3.json"));
  expect(await list()).toMatchObject({
    logs: [{ id: "opencode:ses_1", title: "The keel", isWhole: true }],
    problems: [],
  });
  const store = memory();
  await importFound("opencode:ses_1", await filesOfLog("opencode:ses_1", { home }, factsCache(person)), store.append);
  expect(store.logs.get("opencode:ses_1")?.[0]).toBe("msg_1");
});
