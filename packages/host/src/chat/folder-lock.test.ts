import { existsSync, linkSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { dataFolder } from "./testing/temp-chat.ts";
import { folderLock } from "../disk/folder-lock.ts";

const patience = { timeout: 60_000, interval: 20 };

/** A lock that could not be released, and whose name the disk does not even let be looked at. */
async function leftLock() {
  const folder = join(dataFolder(), "lock");
  mkdirSync(folder, { recursive: true });
  const held = join(folder, "held");
  const lock = folderLock(folder, { patience: 200 });
  await lock.hold(async () => {
    unlinkSync(held);
    mkdirSync(held);
  });
  rmdirSync(held);
  symlinkSync("held", held);
  const tickets = (): string[] => readdirSync(folder).filter((name) => name.startsWith("ticket-"));
  /** The disk is well again, and the lock is where it was left. */
  const mend = (): void => {
    unlinkSync(held);
    linkSync(join(folder, tickets()[0] ?? ""), held);
  };
  return { lock, held, tickets, mend };
}

test("[W10] a lock that cannot even be looked at keeps nobody from the next try, and is released when the disk is well", async () => {
  const { lock, held, mend } = await leftLock();
  await expect(lock.hold(async () => "in")).rejects.toMatchObject({ code: "UnsafePath", path: held });
  // The first try to release it later is over by then.
  await sleep(1300);
  await expect(lock.hold(async () => "in")).rejects.toMatchObject({ code: "UnsafePath", path: held });
  mend();
  await vi.waitUntil(() => !existsSync(held), patience);
  expect(await lock.hold(async () => "in")).toBe("in");
  await lock.close();
});

test("[W10] a holder that closes while the lock is left keeps its ticket, and releases the lock when the disk is well", async () => {
  const { lock, held, tickets, mend } = await leftLock();
  await lock.close();
  expect(tickets()).toHaveLength(1);
  mend();
  await vi.waitUntil(() => !existsSync(held), patience);
});
