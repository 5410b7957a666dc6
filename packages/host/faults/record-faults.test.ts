import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { claimFault } from "./claim-fault.ts";
import { checkStore } from "../src/store/check-store.ts";
import { type StoreOptions, openStore } from "../src/store/open-store.ts";
import { testDatabase } from "../testing/test-database.ts";

const run = promisify(execFile);
const writer = fileURLToPath(new URL("record-writer.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "galley-records-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const session = { projectId: "p", sessionId: "s" };
const linesOf = (stdout: string, word: string): string[][] =>
  stdout
    .split("\n")
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => line.split(" ").slice(1));

describe.each(["sqlite", "postgres"] as const)("processes that record at once on %s", (kind) => {
  const made = async (): Promise<StoreOptions> =>
    kind === "sqlite" ? { data: mkdtempSync(join(folder, "data-")) } : { postgres: await testDatabase() };

  test("[P2] each build has a number of its own, and each run is taken over by one", async () => {
    const options = await made();
    const store = await openStore(options);
    const ids = Array.from({ length: 12 }, (_, index) => `r${index}`);
    for (const id of ids) {
      const place = { projectId: "p", place: { session: "s" }, session: "s", model: "m", request: {} };
      // Their worker is dead.
      await store.runs.start({ ...place, id, inputTs: 1, worker: "gone", leaseMs: 1, now: 1 });
    }
    const done = await Promise.all(
      ["a", "b", "c"].map((name) => run(process.execPath, [writer, JSON.stringify(options), name, "25"])),
    );
    const output = done.map(({ stdout }) => stdout).join("");
    const builds = linesOf(output, "build");
    expect(builds.map(([n]) => Number(n)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 75 }, (_, n) => n + 1),
    );
    for (const [n, key] of builds) {
      const build = await store.builds.read(session, Number(n));
      expect([build?.key, build?.messages.length, build?.messages.at(-1)?.content]).toEqual([key, 21, key]);
    }
    expect(linesOf(output, "run").flat().toSorted()).toEqual(ids.toSorted());
    for (const id of ids) {
      const ended = await store.runs.get("p", id);
      expect(ended).toMatchObject({ status: "finished", attempt: 2 });
      expect(ended?.steps).toHaveLength(1);
    }
    await store.close();
    expect(await checkStore(options)).toEqual([]);
  });

  test("[P2] what a killed process had said is there, and nothing of a build is half", async ({ task }) => {
    claimFault(task, {
      area: "processes that are killed",
      fault: `kill -9 on a process that records builds, with ${kind}`,
      holds: "every build that was acknowledged can be read, and none is half",
      rounds: 1,
    });
    const options = await made();
    const child = spawn(process.execPath, [writer, JSON.stringify(options), "a", "100000"]);
    let said = "";
    for await (const chunk of child.stdout) {
      said += String(chunk);
      if (linesOf(said, "build").length > 20) break;
    }
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    const store = await openStore(options);
    const builds = await store.builds.list(session);
    // The last line may have been cut where it was read.
    for (const [n, key] of linesOf(said, "build").slice(0, -1)) expect(builds[Number(n) - 1]?.key).toBe(key);
    for (const { n, key } of builds) expect((await store.builds.read(session, n))?.messages.at(-1)?.content).toBe(key);
    await store.close();
    expect(await checkStore(options)).toEqual([]);
  });
});
