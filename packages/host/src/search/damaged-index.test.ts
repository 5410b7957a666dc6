import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { archiveOf, idsOf, tempIndex, tempSearch } from "./testing/archive-search.ts";
import { type ArchiveDocument, type ArchiveSearch, openArchiveSearch } from "./archive-search.ts";

const queries = ["words", "number7", "第8个", "数据库", "档", "wor"];

function answersTo(search: ArchiveSearch): unknown {
  return queries.map((query) => search.search(query, { limit: 100 }));
}

const stored = Array.from({ length: 60 }, (_, index) =>
  archiveOf(`c${index}`, `archive number${index} 第${index}个档案 ${"数据库 words ".repeat(50)}`),
);
const listedFiles = stored.map(({ contextId }) => ({ contextId, stamp: "1" }));
const readStored = (id: string): ArchiveDocument | undefined => stored.find(({ contextId }) => contextId === id);

function builtIndex(): string {
  const file = tempIndex();
  const search = openArchiveSearch(file);
  search.reconcile(listedFiles, readStored);
  search.close();
  return file;
}

test.each<[string, (file: string) => void, string]>([
  ["empty", (file) => truncateSync(file, 0), "none"],
  ["missing", (file) => rmSync(file), "none"],
  ["text", (file) => writeFileSync(file, "not a database ".repeat(1000)), "damaged"],
  ["cut in half", (file) => truncateSync(file, Math.floor(readFileSync(file).length / 8192) * 4096), "damaged"],
  ["overwritten at its head", (file) => overwrite(file, 0, 100), "damaged"],
  ["overwritten behind its head", (file) => overwrite(file, 4096, readFileSync(file).length), "damaged"],
  ["of an older version", (file) => setVersion(file, 1), "older"],
  ["of a newer version", (file) => setVersion(file, 999_999), "newer"],
])("[W7] an index that is %s is built again from the files, which is reported", (_, damage, reason) => {
  const file = builtIndex();
  const whole = answersTo(tempSearch(copyOf(file)));
  damage(file);
  const search = tempSearch(file);
  const report = search.reconcile(listedFiles, readStored);
  const again = reason === "none" || report.rebuilt ? report : retried(search);
  expect(again).toEqual({ added: 60, updated: 0, removed: 0, ...(reason === "none" ? {} : { rebuilt: reason }) });
  expect(answersTo(search)).toEqual(whole);
  expect(search.reconcile(listedFiles, readStored)).toEqual({ added: 0, updated: 0, removed: 0 });
});

/** Damage that only a search comes across: it is told, and the next reconciliation mends it. */
function retried(search: ArchiveSearch): unknown {
  expect(() => answersTo(search)).toThrow(expect.objectContaining({ code: "IndexDamaged", retryable: true }));
  expect(() => search.search("words")).toThrow(expect.objectContaining({ code: "IndexDamaged" }));
  return search.reconcile(listedFiles, readStored);
}

function copyOf(file: string): string {
  const copy = tempIndex();
  copyFileSync(file, copy);
  return copy;
}

function overwrite(file: string, start: number, end: number): void {
  writeFileSync(file, readFileSync(file).fill("\u00a5x", start, end));
}

function setVersion(file: string, version: number): void {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA user_version = ${version}; CREATE TABLE from_elsewhere (x)`);
  db.close();
}

test("[W7] an index that is replaced or deleted under an open search is noticed", () => {
  const file = builtIndex();
  const [one, other] = [tempSearch(file), tempSearch(file)];
  rmSync(file);
  expect(() => one.search("words")).toThrow(expect.objectContaining({ code: "IndexDamaged" }));
  expect(one.reconcile(listedFiles, readStored)).toEqual({ added: 60, updated: 0, removed: 0, rebuilt: "damaged" });
  expect(idsOf(other, "number7")).toEqual(["c7"]);
  other.put(archiveOf("z", "zebra"), "1");
  expect(idsOf(one, "zebra")).toEqual(["z"]);
});

test("[W7] what another process has mended already is taken as it is", () => {
  const file = builtIndex();
  const [one, other] = [tempSearch(file), tempSearch(file)];
  damageTexts(file);
  expect(retried(one)).toEqual({ added: 60, updated: 0, removed: 0, rebuilt: "damaged" });
  expect(idsOf(other, "number7")).toEqual(["c7"]);
  expect(other.reconcile(listedFiles, readStored)).toEqual({ added: 0, updated: 0, removed: 0 });
});

test("[W7] a text that cannot be unpacked is damage too", () => {
  const file = builtIndex();
  const search = tempSearch(file);
  damageTexts(file);
  expect(retried(search)).toEqual({ added: 60, updated: 0, removed: 0, rebuilt: "damaged" });
  expect(idsOf(search, "number7")).toEqual(["c7"]);
});

function damageTexts(file: string): void {
  const db = new DatabaseSync(file);
  db.exec("UPDATE texts SET packed = x'ff'");
  db.close();
}
