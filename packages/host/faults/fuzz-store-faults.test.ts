import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestItem } from "@galley/engine";
import { type Chance, type FuzzRounds, fuzz, fuzzSeed, roundsOf, spoilBytes } from "@galley/engine/testing";
import { afterAll, expect, test } from "vitest";
import { buildOf, said } from "../src/store/testing/build-samples.ts";
import { checkStore } from "../src/store/check-store.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/ports/ports.ts";
import { cardOf, fork, fresh, itemsOf, runningRoot } from "../src/store/testing/store-samples.ts";
import { claimFault } from "./claim-fault.ts";
import { missing, verdictOfAsync } from "./fuzz-verdict.ts";

const root = mkdtempSync(join(tmpdir(), "galley-fuzz-store-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const session = { projectId: "p", sessionId: "s" };
const entry = (id: string): Parameters<Store["sessions"]["append"]>[1][number] => ({
  id,
  ts: 1,
  type: "message",
  message: { role: "user", content: `hi ${id}` },
});

async function fill(data: string): Promise<void> {
  const store = await openStore({ data });
  await store.sessions.append(session, [entry("e1"), entry("e2")]);
  await store.cards.pack({ projectId: "p", cards: [cardOf("a")], boxes: [{ id: "b", items: itemsOf("a") }], now: 1 });
  const task = await runningRoot(store, "p", { id: "root" });
  await fork(store, task, [fresh("c")], { batch: { id: "batch" } });
  for (const text of ["a", "b"]) await store.builds.record(session, buildOf([said("first"), said(text)]));
  const about = { projectId: "p", place: {}, session: "s", model: "m", request: {}, inputTs: 1, worker: "w", now: 1 };
  await store.runs.start({ ...about, id: "r1", leaseMs: 60_000 });
  await store.close();
}

/** Everything that a store can be asked; each step works or says why not. */
async function useStore(data: string, verdicts: Set<string>): Promise<void> {
  let store: Store | undefined;
  verdicts.add(await verdictOfAsync(async () => (store = await openStore({ data }))));
  const opened = store;
  if (!opened) return;
  for (const work of [
    () => opened.sessions.read(session),
    () => opened.sessions.append(session, [entry(fresh("e"))]),
    () => opened.cards.readBoxes("p", ["b"]),
    () => opened.cards.append({ projectId: "p", boxId: "b", cards: [cardOf("z")], items: itemsOf("z"), now: 9 }),
    () => opened.tasks.claim({ projectId: "p", taskId: "root", worker: "w", leaseMs: 10, now: 99_999 }),
    () => opened.builds.list(session),
    () => opened.builds.record(session, buildOf([said("more")])),
    () => opened.builds.purge(session, [digestItem(said("b"))]),
    () => opened.runs.list("p"),
  ] as (() => unknown)[]) {
    verdicts.add(await verdictOfAsync(work));
  }
  await verdictOfAsync(() => opened.close());
}

/** Where it hurts: the header, the pages of the schema, anywhere, or a page that is another one. */
function spoilDatabase(bytes: Uint8Array, chance: Chance): Uint8Array {
  const page = 4096;
  const copy = Uint8Array.from(bytes);
  const pages = Math.max(1, Math.floor(bytes.length / page));
  switch (chance.below(4)) {
    case 0:
      return spoilBytes(bytes, chance);
    case 1:
      for (let left = 1 + chance.below(8); left > 0; left -= 1) copy[chance.below(100)] = chance.below(256);
      return copy;
    case 2: {
      const [from, to] = [chance.below(pages) * page, chance.below(pages) * page];
      copy.set(bytes.subarray(from, from + page), to);
      return copy;
    }
    default:
      for (let left = 1 + chance.below(30); left > 0; left -= 1) copy[chance.below(copy.length)] = chance.below(256);
      return copy;
  }
}

const rounds: FuzzRounds = { few: 25, many: 2000 };

test(
  `[E] a store whose database is damaged: each step works or says so, and so does doctor (seed ${fuzzSeed})`,
  { timeout: 3_600_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "a store whose SQLite file is damaged in its header, its pages or anywhere",
      holds: "every step works or is an error with its code, and so is doctor; no other exception",
      rounds: roundsOf(rounds),
      seed: fuzzSeed,
    });
    const template = join(root, "template");
    await fill(template);
    const name = readdirSync(template).find((file) => file.endsWith(".sqlite")) ?? "";
    const verdicts = new Set<string>();
    await fuzz("store", rounds, async (chance, round) => {
      const data = join(root, `round-${round}`);
      cpSync(template, data, { recursive: true });
      writeFileSync(join(data, name), spoilDatabase(readFileSync(join(data, name)), chance));
      if (chance.oneIn(2)) await verdictOfAsync(() => checkStore({ data }));
      await useStore(data, verdicts);
      await verdictOfAsync(() => checkStore({ data }));
      rmSync(data, { recursive: true, force: true });
    });
    expect(missing(verdicts, ["StoreDamaged", "fine"])).toEqual([]);
  },
);
