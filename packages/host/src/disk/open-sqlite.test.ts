import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { immediate, immediateAsync, isBusy, isDamaged, openSqlite } from "./open-sqlite.ts";
import { checkpoints } from "./sqlite-checkpoint.ts";

const writer = fileURLToPath(new URL("../store/testing/sqlite-writer.ts", import.meta.url));
const run = promisify(execFile);

let folder = "";
let file = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-sqlite-"));
  file = join(folder, "a.sqlite");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function caught(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("a database opens with WAL, full synchronisation and foreign keys", () => {
  const db = openSqlite(file);
  const pragma = (name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  expect(["journal_mode", "synchronous", "foreign_keys", "secure_delete"].map(pragma)).toEqual(["wal", 2, 1, 0]);
  expect(Number(pragma("busy_timeout"))).toBeLessThanOrEqual(100);
  db.close();
  const derived = openSqlite(file, { synchronous: "normal", secureDelete: true });
  expect(derived.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 1 });
  expect(derived.prepare("PRAGMA secure_delete").get()).toEqual({ secure_delete: 1 });
  derived.close();
});

test("processes that open a new file together all get in, and none loses a write", async () => {
  await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, [writer, file, "50"])));
  const db = openSqlite(file);
  expect(db.prepare("SELECT count(*) AS rows, max(total) AS top FROM tally").get()).toEqual({ rows: 200, top: 200 });
  db.close();
});

test("a writer that is killed leaves the lock free and its open transaction undone", async () => {
  const db = openSqlite(file);
  db.exec("CREATE TABLE tally (total INTEGER NOT NULL)");
  const module = JSON.stringify(new URL("open-sqlite.ts", import.meta.url).href);
  const code = `const { openSqlite } = await import(${module});
    const db = openSqlite(${JSON.stringify(file)});
    db.exec("BEGIN IMMEDIATE; INSERT INTO tally VALUES (1)");
    // Named in the timer, or the connection could be collected as garbage, and its lock with it.
    process.stdout.write("holds"); setInterval(() => db.isOpen, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  expect(caught(() => immediate(db, () => 1, { patience: 0 }))).toMatchObject({ code: "StoreBusy", retryable: true });
  const waiting = immediateAsync(db, () => db.prepare("INSERT INTO tally VALUES (2)").run().changes);
  child.kill("SIGKILL");
  expect(await waiting).toBe(1);
  expect(db.prepare("SELECT total FROM tally").all()).toEqual([{ total: 2 }]);
  db.close();
});

test("immediateAsync leaves the event loop free while another connection writes", async () => {
  const [one, other] = [openSqlite(file), openSqlite(file)];
  one.exec("CREATE TABLE tally (total INTEGER NOT NULL); BEGIN IMMEDIATE");
  const order: string[] = [];
  const waiting = immediateAsync(other, () => order.push("written"));
  setTimeout(() => {
    order.push("freed");
    one.exec("COMMIT");
  }, 50);
  await waiting;
  expect(order).toEqual(["freed", "written"]);
  one.close();
  other.close();
});

test("a transaction whose work throws leaves nothing behind, and the next one works", () => {
  const db = openSqlite(file);
  db.exec("CREATE TABLE tally (total INTEGER NOT NULL)");
  const add = db.prepare("INSERT INTO tally VALUES (1)");
  const failing = (): never => {
    add.run();
    throw new Error("no");
  };
  expect(() => immediate(db, failing)).toThrow("no");
  expect(db.isTransaction).toBe(false);
  expect(immediate(db, () => add.run().changes)).toBe(1);
  expect(db.prepare("SELECT count(*) AS rows FROM tally").get()).toEqual({ rows: 1 });
  db.close();
});

test.each([
  ["text instead of a database", (): void => writeFileSync(file, "not a database, but long enough".repeat(200))],
  ["a database whose header is overwritten", (): void => overwriteHeader()],
])("%s is told apart from a lock, and left as it is", (_, damage) => {
  damage();
  const before = readFileSync(file);
  const error = caught(() => openSqlite(file));
  expect([isDamaged(error), isBusy(error)]).toEqual([true, false]);
  expect(readFileSync(file).equals(before)).toBe(true);
});

function overwriteHeader(): void {
  const db = openSqlite(file);
  db.exec("CREATE TABLE tally (total INTEGER NOT NULL)");
  db.close();
  writeFileSync(file, readFileSync(file).fill("x", 0, 100));
}

test("a folder that is missing or a folder in the file's place is named in the error", () => {
  const missing = join(folder, "none", "a.sqlite");
  expect(caught(() => openSqlite(missing))).toMatchObject({
    code: "FileUnreadable",
    message: expect.stringContaining(missing),
  });
  mkdirSync(file);
  expect(caught(() => openSqlite(file))).toMatchObject({ code: "UnsafePath", path: file });
  expect(existsSync(join(folder, "none"))).toBe(false);
});

test("what a long transaction wrote is taken into the file by another thread, and shorter ones as ever", async () => {
  const db = openSqlite(file);
  db.exec("CREATE TABLE texts (body TEXT)");
  const pages = (): unknown => Object.values(db.prepare("PRAGMA wal_autocheckpoint").get() ?? {})[0];
  const [usual, length] = [pages(), 6_000_000];
  const logs = checkpoints(db, file);
  immediate(db, () => {
    db.prepare("INSERT INTO texts VALUES (?)").run("x".repeat(length));
    logs.postpone();
  });
  expect(statSync(file).size).toBeLessThan(length);
  logs.run();
  await logs.idle();
  expect(statSync(file).size).toBeGreaterThan(length);
  expect(pages()).toBe(usual);
  db.close();
  // A file that is gone is not made again.
  rmSync(file);
  logs.postpone();
  logs.run();
  await logs.idle();
  expect(existsSync(file)).toBe(false);
});
