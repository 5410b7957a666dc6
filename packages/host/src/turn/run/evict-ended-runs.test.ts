import { GalleyError } from "@galley/engine";
import { expect, test } from "vitest";
import { evictEndedRuns } from "./run-registry.ts";
import { RunHandle } from "./run-handle.ts";

function ended(runId: string, words: number): RunHandle {
  const handle = new RunHandle(runId);
  for (let count = 0; count < words; count += 1) handle.emit({ type: "text", delta: "a" });
  handle.fail(new GalleyError("RunAborted", "Enough."));
  return handle;
}

test("long runs that have ended do not stay in memory for ever; those under way do", () => {
  const known = new Map<string, RunHandle>();
  evictEndedRuns(known, new RunHandle("under way"));
  for (const id of ["first", "second", "third"]) evictEndedRuns(known, ended(id, 45_000));
  expect([...known.keys()]).toEqual(["under way", "second", "third"]);
});

test("of many short runs the latest two hundred stay", () => {
  const known = new Map<string, RunHandle>();
  for (let index = 0; index < 250; index += 1) evictEndedRuns(known, ended(`r${index}`, 1));
  expect([known.size, known.has("r49"), known.has("r50")]).toEqual([200, false, true]);
});
