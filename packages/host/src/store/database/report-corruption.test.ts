import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../open-store.ts";
import type { Store } from "../ports/ports.ts";
import { databaseFile } from "../../disk/store-files.ts";
import { rememberSound } from "./report-corruption.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-damage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A store that is open while another program changes its file. */
async function changedUnder(change: string): Promise<{ store: Store; data: string }> {
  const data = newFolder();
  const store = await openStore({ data });
  onTestFinished(() => store.close());
  const other = new DatabaseSync(join(data, databaseFile));
  other.exec(change);
  other.close();
  return { store, data };
}

test("[E] a file that a newer Galley has changed meanwhile is newer, not damaged", async () => {
  const { store, data } = await changedUnder("ALTER TABLE cards RENAME TO notes; PRAGMA user_version = 999");
  const newer = { code: "StoreVersion", message: expect.stringContaining("version 999") };
  await expect(store.cards.readCards("p", ["c"])).rejects.toMatchObject(newer);
  await expect(openStore({ data })).rejects.toMatchObject(newer);
});

test("[E] a sound file with another schema is not called damaged, neither open nor when it is opened", async () => {
  const { store, data } = await changedUnder("ALTER TABLE cards RENAME TO notes");
  const foreign = {
    code: "StoreVersion",
    message: expect.stringContaining("no such table"),
    hint: expect.stringContaining("keep it"),
  };
  await expect(store.cards.readCards("p", ["c"])).rejects.toMatchObject(foreign);
  await expect(openStore({ data })).rejects.toMatchObject(foreign);
});

test("[E] one row that cannot be read does not give up a sound file", async () => {
  const { store, data } = await changedUnder("");
  const session = { projectId: "p", sessionId: "s" };
  await store.sessions.append(session, [{ id: "e1", ts: 1, type: "custom" }]);
  const other = new DatabaseSync(join(data, databaseFile));
  other.exec("UPDATE session_entries SET body = '{'");
  other.close();
  await expect(store.sessions.read(session)).rejects.toMatchObject({
    code: "StoreDamaged",
    message: expect.stringMatching(/^A row of .*JSON/),
    hint: expect.stringContaining("The file itself is sound"),
  });
  expect(await store.sessions.tail(session)).toBe("e1");
});

test.skipIf(!existsSync("/proc/self/fd"))("[E] a file that is refused does not stay open", async () => {
  const { store, data } = await changedUnder("ALTER TABLE session_entries RENAME TO notes");
  await store.close();
  await expect(openStore({ data })).rejects.toMatchObject({ code: "StoreVersion" });
  expect(openFiles().filter((file) => file.startsWith(data))).toEqual([]);
});

/** Of this process; one that was closed while this looks has no name any more. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((number) => {
    const link = join("/proc/self/fd", number);
    return existsSync(link) ? [readlinkSync(link)] : [];
  });
}

test("[E] a file that was found sound is not read again for a minute; one that was not is", () => {
  let [isSound, looks, now] = [true, 0, 0];
  const remembered = rememberSound(
    () => ((looks += 1), isSound),
    () => now,
  );
  expect([remembered(), remembered(), looks]).toEqual([true, true, 1]);
  isSound = false;
  now = 59_999;
  expect([remembered(), looks]).toEqual([true, 1]);
  now = 60_000;
  expect([remembered(), remembered(), looks]).toEqual([false, false, 3]);
});
