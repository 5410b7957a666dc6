import { chmodSync, copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { openArchiveSearch } from "../search/archive-search.ts";
import { archiveOf } from "../search/testing/archive-search.ts";
import { checkStore } from "./check-store.ts";
import { openStore } from "./open-store.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-owner-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newFolder = (): string => mkdtempSync(join(folder, "data-"));
const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}.sqlite.sql`, import.meta.url), "utf8");

function made(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

/** A database whose tables are in its log alone, as a process that is killed early leaves it. */
function madeInLog(file: string, sql: string): void {
  const original = `${file}.original`;
  const db = new DatabaseSync(original);
  db.exec("PRAGMA journal_mode=WAL");
  db.exec(sql);
  for (const suffix of ["", "-wal"]) copyFileSync(original + suffix, file + suffix);
  db.close();
  rmSync(original);
}

/** Every file of a folder with its bytes, its rights and the time of its last change. */
function stateOf(data: string): unknown {
  return readdirSync(data).map((name) => {
    const { mode, mtimeMs } = statSync(join(data, name));
    return [name, readFileSync(join(data, name)).toString("base64"), mode & 0o777, mtimeMs];
  });
}

const idOf = (file: string): unknown => {
  const db = new DatabaseSync(file);
  try {
    return db.prepare("PRAGMA application_id").get()?.["application_id"];
  } finally {
    db.close();
  }
};

const foreign: readonly (readonly [string, (file: string) => void])[] = [
  ["with tables of its own", (file) => made(file, "CREATE TABLE sessions (id); CREATE TABLE cards (id)")],
  ["with a log of its own", (file) => made(file, "PRAGMA journal_mode=WAL; CREATE TABLE notes (id)")],
  ["whose tables are in its log alone", (file) => madeInLog(file, "CREATE TABLE notes (id)")],
  ["that has only a name", (file) => made(file, "PRAGMA application_id=77; CREATE TABLE a (x); DROP TABLE a")],
];

test.each(foreign)(
  "[V1c] a database of another program %s is refused as the store, and left as it is",
  async (_, make) => {
    const data = newFolder();
    const file = join(data, "galley.sqlite");
    make(file);
    chmodSync(file, 0o644);
    const before = stateOf(data);
    const error = { code: "ForeignDatabase", path: file, hint: expect.any(String) as string };
    await expect(openStore({ data })).rejects.toMatchObject(error);
    expect(await checkStore({ data })).toMatchObject([error]);
    expect(stateOf(data)).toEqual(before);
  },
);

test.each(foreign)(
  "[V1c] a database of another program %s is refused as the search index, and left as it is",
  (_, make) => {
    const data = newFolder();
    const file = join(data, "search.sqlite");
    make(file);
    chmodSync(file, 0o644);
    const before = stateOf(data);
    expect(() => openArchiveSearch(file)).toThrow(expect.objectContaining({ code: "ForeignDatabase", path: file }));
    expect(stateOf(data)).toEqual(before);
  },
);

test.each(["store-1", "store-2", "store-2-words", "store-3", "store-4", "store-5", "store-6", "store-7", "store-8"])(
  "[V1c] %s from before the id is recognised by its tables, and gets the id",
  async (name) => {
    for (const make of [made, madeInLog]) {
      const data = newFolder();
      const file = join(data, "galley.sqlite");
      make(file, fixture(name));
      const store = await openStore({ data });
      expect((await store.sessions.list("p")).length).toBeGreaterThan(0);
      // In the file itself, and not only in the log of those that have it open.
      expect(readFileSync(file).readUInt32BE(68)).toBe(0x474c4c59);
      await store.close();
      expect(await checkStore({ data })).not.toContainEqual(expect.objectContaining({ severity: "error" }));
    }
  },
);

test("[V1c] an index from before the id is recognised by its tables; what is in it is found", () => {
  const file = join(newFolder(), "search.sqlite");
  const search = openArchiveSearch(file);
  search.put(archiveOf("c", "zebra"), "1");
  search.close();
  made(file, "PRAGMA application_id=0");
  const again = openArchiveSearch(file);
  expect(again.search("zebra", { limit: 10 })).toHaveLength(1);
  again.close();
  expect(idOf(file)).toBe(0x474c4c53);
});

test("[V1c] new files are for their owner alone and have the id; one that was never filled is filled", async () => {
  const data = newFolder();
  await (await openStore({ data })).close();
  const file = join(data, "galley.sqlite");
  expect([statSync(file).mode & 0o777, idOf(file)]).toEqual([0o600, 0x474c4c59]);
  const unused = newFolder();
  // As a process leaves it that was killed before it made the tables.
  made(join(unused, "galley.sqlite"), "PRAGMA journal_mode=WAL");
  await (await openStore({ data: unused })).close();
  expect(idOf(join(unused, "galley.sqlite"))).toBe(0x474c4c59);
});
