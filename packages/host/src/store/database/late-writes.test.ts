import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError } from "@galley/engine";
import { afterAll, expect, test } from "vitest";
import { type Database, type Transaction } from "./database.ts";
import { type LateDatabase, withLateWrites } from "./late-writes.ts";
import { findRow, insertRows } from "./rows.ts";
import { sqliteDatabase } from "./sqlite-database.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-late-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

/** A database that counts its transactions. */
async function counted(): Promise<{ database: LateDatabase; transactions: () => number }> {
  const plain = await sqliteDatabase(join(folder, `${(count += 1)}.sqlite`));
  let transactions = 0;
  const counting: Database = {
    ...plain,
    transaction(work, options) {
      transactions += 1;
      return plain.transaction(work, options);
    },
  };
  return { database: withLateWrites(counting), transactions: () => transactions };
}

const profile = (name: string) => ({ project_id: "p", name, box_id: "b" });
const write = (name: string) => (tx: Transaction) => insertRows(tx, "profiles", [profile(name)]);
const isThere = (database: Database, name: string): Promise<boolean> =>
  database.read(async (reader) => (await findRow(reader, "profiles", { project_id: "p", name })) !== undefined);

test("a late write shares the commit of the next transaction, in front of it", async () => {
  const { database, transactions } = await counted();
  const late = database.write("x", write("late"), { isLate: true });
  expect(await isThere(database, "late")).toBe(false);
  const before = await database.transaction(
    async (tx) => (await findRow(tx, "profiles", { name: "late" })) !== undefined,
  );
  await late;
  expect([before, transactions()]).toEqual([true, 1]);
  await database.close();
});

test("a late write comes by itself, before a reader that asks for it, and at the close", async () => {
  const { database, transactions } = await counted();
  await database.write("x", write("alone"), { isLate: true });
  expect([await isThere(database, "alone"), transactions()]).toEqual([true, 1]);
  void database.write("y", write("asked for"), { isLate: true, patience: 3_600_000 });
  await database.settled("x");
  expect(await isThere(database, "asked for")).toBe(false);
  await database.settled("y");
  expect(await isThere(database, "asked for")).toBe(true);
  const last = database.write("z", write("last"), { isLate: true, patience: 3_600_000 });
  await database.close();
  await last;
  await expect(database.write("z", write("after the close"), { isLate: true })).rejects.toThrow(/destroyed|not open/);
});

test("what a late write throws is told to its caller alone, and what the database refuses holds up nothing else", async () => {
  const { database } = await counted();
  const over = async (): Promise<never> => {
    throw new GalleyError("RunLost", "It is over.");
  };
  const refusal = (tx: Transaction) =>
    tx.query
      .insertInto("profiles")
      .values({} as never)
      .execute();
  const lost = database.write("x", over, { isLate: true });
  const refused = database.write("x", refusal, { isLate: true });
  const told = Promise.allSettled([lost, refused]);
  await database.transaction(write("own"));
  const kept = database.write("x", write("kept"), { isLate: true });
  const failing = database.transaction(async () => {
    throw new GalleyError("SessionConflict", "Somebody was faster.");
  });
  await expect(failing).rejects.toMatchObject({ code: "SessionConflict" });
  await kept;
  const [first, second] = await told;
  expect(first).toMatchObject({ reason: { code: "RunLost" } });
  expect(second).toMatchObject({ status: "rejected" });
  expect([await isThere(database, "own"), await isThere(database, "kept")]).toEqual([true, true]);
  await database.close();
});

test("one who asks for a late write that the database did not take waits until it is in", async () => {
  const plain = await sqliteDatabase(join(folder, `${(count += 1)}.sqlite`));
  // As a server that goes away in the middle of a commit, and comes back.
  let failures = 2;
  const failing: Database = {
    ...plain,
    async transaction(work, options) {
      failures -= 1;
      if (failures < 0) return plain.transaction(work, options);
      await sleep(30);
      throw new Error("The connection was closed.");
    },
  };
  const database = withLateWrites(failing);
  const late = database.write("x", write("late"), { isLate: true, patience: 0 });
  // The first try is under way.
  await expect.poll(() => failures).toBeLessThan(2);
  await database.settled("x");
  expect(await isThere(database, "late")).toBe(true);
  await late;
  await database.close();
});
