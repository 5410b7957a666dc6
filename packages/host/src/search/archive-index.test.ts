import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { archiveOf, idsOf, tempIndex, tempSearch } from "./testing/archive-search.ts";
import { type ArchiveDocument, openArchiveSearch } from "./archive-search.ts";
import { openSearchFile } from "./search-file.ts";

const run = promisify(execFile);
const writer = fileURLToPath(new URL("testing/search-writer.ts", import.meta.url));

test("[W7] reconciling reads what is new or changed, keeps what is not, and says what it did", () => {
  const search = tempSearch();
  const archives = new Map(["a", "b", "c"].map((id) => [id, archiveOf(id, `words of ${id}${id}`)]));
  const read: string[] = [];
  const reconcile = (stamps: Record<string, string>): unknown =>
    search.reconcile(
      Object.entries(stamps).map(([contextId, stamp]) => ({ contextId, stamp })),
      (id) => {
        read.push(id);
        return archives.get(id);
      },
    );
  expect(reconcile({ a: "1", b: "1", c: "1" })).toEqual({ added: 3, updated: 0, removed: 0 });
  expect(read.splice(0)).toEqual(["a", "b", "c"]);
  expect(reconcile({ a: "1", b: "1", c: "1" })).toEqual({ added: 0, updated: 0, removed: 0 });
  expect(read.splice(0)).toEqual([]);
  archives.delete("c");
  archives.set("b", archiveOf("b", "other words"));
  archives.set("d", archiveOf("d", "dd"));
  expect(reconcile({ a: "1", b: "2", d: "1" })).toEqual({ added: 1, updated: 1, removed: 1 });
  expect(read.splice(0)).toEqual(["b", "d", "c"]);
  expect(["aa", "bb", "cc", "dd", "other"].map((word) => idsOf(search, word))).toEqual([["a"], [], [], ["d"], ["b"]]);
});

test("[W7] an archive that another process made after the files were listed stays", () => {
  const search = tempSearch();
  search.put(archiveOf("a", "newcomer"), "1");
  expect(search.reconcile([], () => archiveOf("a", "newcomer"))).toEqual({ added: 0, updated: 0, removed: 0 });
  expect(idsOf(search, "newcomer")).toEqual(["a"]);
});

test("[W7] a file that cannot be read is not indexed, and a reader that throws leaves a whole index", () => {
  const search = tempSearch();
  search.put(archiveOf("a", "words"), "1");
  const listed = [
    { contextId: "a", stamp: "2" },
    { contextId: "b", stamp: "1" },
  ];
  expect(() => search.reconcile(listed, () => JSON.parse("{") as ArchiveDocument)).toThrow(SyntaxError);
  expect(idsOf(search, "words")).toEqual(["a"]);
  expect(search.reconcile(listed, () => undefined)).toEqual({ added: 0, updated: 0, removed: 1 });
  expect(idsOf(search, "words")).toEqual([]);
});

test("[W8] an index is found again after closing, and progress is told", () => {
  const file = tempIndex();
  const first = openArchiveSearch(file);
  // The newest first, as a list shows them.
  const listed = Array.from({ length: 1200 }, (_, index) => ({ contextId: `c${1199 - index}`, stamp: "1" }));
  const progress: number[][] = [];
  first.reconcile(
    listed,
    (id) => archiveOf(id, `needle ${id}`, { archivedAt: new Date(Number(id.slice(1)) * 30_000).toISOString() }),
    (...step) => progress.push(step),
  );
  first.close();
  expect(progress.at(-1)).toEqual([1200, 1200]);
  expect(existsSync(`${file}-wal`)).toBe(false);
  const search = tempSearch(file);
  expect(idsOf(search, "c1199")).toEqual(["c1199"]);
  expect(idsOf(search, "needle", 3)).toEqual(["c1199", "c1198", "c1197"]);
  expect(search.search("needle", { limit: 2000 })).toHaveLength(1200);
});

test("[W10] processes that write, replace, remove and search at once leave what each of them left", async () => {
  const file = tempIndex();
  await Promise.all(["p", "q", "r"].map((name) => run(process.execPath, [writer, file, name, "12"])));
  const search = tempSearch(file);
  expect(search.search("共同的文字", { limit: 100 })).toHaveLength(18);
  expect(idsOf(search, "first")).toEqual([]);
  expect(idsOf(search, "p3")).toEqual([]);
  expect(idsOf(search, "p4")).toEqual(["p4"]);
  const db = new DatabaseSync(file);
  expect(db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  db.close();
});

const secrets = ["hunter2secret", "口令是天王盖地虎", "sk9f8a7b6c5d4e3f"];

test.each(["removed", "redacted", "gone from the files"])(
  "[P6] of an archive that is %s no byte stays in the file or its log",
  (how) => {
    const file = tempIndex();
    const search = tempSearch(file);
    const filler = (index: number): string =>
      Array.from({ length: 80 }, (_, word) => `w${(index * 7919 + word * 104_729) % 5000}字${word}`).join(" ");
    const listed = Array.from({ length: 120 }, (_, index) => ({ contextId: `c${index}`, stamp: "1" }));
    search.reconcile(listed, (id) => archiveOf(id, filler(Number(id.slice(1)))));
    search.put(archiveOf("x", `${filler(500)} ${secrets.join(" ")}`, { title: secrets[0], summary: secrets[1] }), "1");
    const { pieces, ends } = tracesOf(file);
    const found = (traces: readonly Buffer[]): number => traces.filter((trace) => bytesOf(file).includes(trace)).length;
    expect([found(pieces), found(ends)]).toEqual([pieces.length, ends.length]);
    if (how === "removed") search.remove("x");
    if (how === "redacted") search.put(archiveOf("x", `${filler(500)} [redacted]`, { title: "[redacted]" }), "2");
    if (how === "gone from the files") search.reconcile(listed, () => undefined);
    expect(secrets.map((secret) => idsOf(search, secret))).toEqual([[], [], []]);
    expect(found(pieces)).toBe(0);
    // Of ten thousand other terms one may end like one of these, by chance; what stays behind would be all five.
    expect(found(ends)).toBeLessThanOrEqual(1);
  },
);

/** What the index keeps of the archive x: pieces of its packed text, and the terms of its secrets. */
function tracesOf(file: string): { readonly pieces: readonly Buffer[]; readonly ends: readonly Buffer[] } {
  const { db, terms } = openSearchFile(file);
  const row = db.prepare("SELECT packed FROM texts JOIN archives USING (id) WHERE context_id = 'x'").get();
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const packed = Buffer.from(row?.["packed"] as Uint8Array);
  const pieces = Array.from({ length: 8 }, (_, index) =>
    packed.subarray(packed.length - 150 + index * 16, packed.length - 134 + index * 16),
  );
  // Neighbouring terms share their first letters, which a page of the index keeps once.
  const hashes = [secrets[0], "口令", "天王", "地虎", secrets[2]].map((secret) => terms.whole(secret ?? ""));
  return { pieces, ends: hashes.map((hash) => Buffer.from(hash.slice(3))) };
}

function bytesOf(file: string): Buffer {
  const log = existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : Buffer.alloc(0);
  return Buffer.concat([readFileSync(file), log]);
}
