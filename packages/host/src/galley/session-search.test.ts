import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEntry } from "@galley/engine";
import { importLog } from "@galley/engine/logs";
import { claudeLog, opencodeLog, piLog } from "@galley/engine/testing";
import { expect, test } from "vitest";
import type { Galley } from "./galley.ts";
import { dataFolder, galleyIn } from "./testing/temp-galley.ts";

const said = (id: string, content: string): SessionEntry => ({
  id,
  ts: 1000,
  type: "message",
  message: { role: "user", content },
});

async function imported(galley: Galley, log: string): Promise<void> {
  const append = async (id: string, entries: readonly SessionEntry[]) =>
    (await galley.sessions.append(id, entries)).added;
  await importLog([log], append, { name: "log" });
}

/** Everything that the files of the index hold, as text. */
function bytesOf(data: string): string {
  const names = readdirSync(data).filter((name) => name.startsWith("session-search"));
  return names.map((name) => readFileSync(join(data, name), "latin1")).join("");
}

test("[L4] imported sessions are found by what was said, called and answered in them, in English and Chinese", async () => {
  const galley = await galleyIn();
  for (const log of [claudeLog, opencodeLog, piLog]) await imported(galley, log);
  await galley.sessions.append("review", [
    said("a", "煤油税由议会征收"),
    said("b", "The fuel is kerosene, 420 litres."),
  ]);
  const [found] = await galley.sessions.search("straight");
  expect(found).toMatchObject({ id: "opencode:ses_1", title: "The keel", folder: "/home/ada/boat" });
  expect(found?.snippet).toContain("It is straight.");
  expect(await galley.sessions.search("煤油税")).toMatchObject([{ id: "review", entryId: "a" }]);
  expect(await galley.sessions.search("税")).toMatchObject([{ id: "review", entryId: "a" }]);
  expect(await galley.sessions.search("kerosene litres")).toMatchObject([{ id: "review", entryId: "b" }]);
  const titles = new Map((await galley.sessions.list()).map(({ id, title }) => [id, title]));
  expect([titles.get("opencode:ses_1"), titles.get("review")]).toEqual(["The keel", "煤油税由议会征收"]);
  await galley.sessions.append("review", [{ id: "r", parentId: "b", type: "redact", ts: 3, entryId: "a" }]);
  expect((await galley.sessions.list()).find(({ id }) => id === "review")?.title).toContain("The fuel is kerosene");
  // A long one that no import has named is called by what was asked first as well.
  const many = Array.from({ length: 900 }, (_, n) => said(`p${n}`, `Plank ${n}`));
  await galley.sessions.append("planks", many);
  const longTitle = async () => (await galley.sessions.list()).find(({ id }) => id === "planks")?.title;
  expect(await longTitle()).toBe("Plank 0");
  await galley.sessions.append("planks", [{ id: "r", parentId: "p899", type: "redact", ts: 3, entryId: "p0" }]);
  expect(await longTitle()).toBe("Plank 1");
  // Titles of sessions count more than what is said in them.
  expect((await galley.sessions.search("The hull"))[0]).toMatchObject({ id: "claude-code:s1", score: 1 });
  expect(await galley.sessions.search("zeppelin")).toEqual([]);
  await expect(galley.sessions.search(" ")).rejects.toMatchObject({ code: "BadRequest", path: "query" });
});

test("[L4] what is new is found, whether the log has grown, was begun again, or is longer than a piece of the index", async () => {
  const galley = await galleyIn();
  const many = Array.from({ length: 175 }, (_, n) => said(`m${n}`, `plank number-${n} of the deck`));
  await galley.sessions.append("long", many.slice(0, 60));
  expect(await galley.sessions.search("number-59")).toMatchObject([{ entryId: "m59" }]);
  await galley.sessions.append("long", many.slice(60));
  expect(await galley.sessions.search("number-174")).toMatchObject([{ id: "long", entryId: "m174" }]);
  expect(await galley.sessions.search("number-99")).toMatchObject([{ entryId: "m99" }]);
  // A long session in which a word stands everywhere does not push out the others.
  for (const id of ["one", "two", "three"]) await galley.sessions.append(id, [said("x", `a plank of ${id}`)]);
  const ids = (await galley.sessions.search("plank", { limit: 4 })).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(["long", "one", "three", "two"]);
  await galley.sessions.delete("long", "long");
  await galley.sessions.append("long", [said("m0", "another keel")]);
  expect(await galley.sessions.search("keel")).toMatchObject([{ id: "long", entryId: "m0" }]);
  expect(await galley.sessions.search("number-99")).toEqual([]);
});

test("[L4] what was redacted or deleted is not found, and nothing of it stays in the index", async () => {
  const data = dataFolder();
  const galley = await galleyIn(data);
  const secret = "swordfish-bulkhead";
  await galley.sessions.append("s", [said("a", `The word is ${secret}`), said("b", "Go on")]);
  await galley.sessions.append("other", [said("a", `It was ${secret} too`)]);
  expect(await galley.sessions.search(secret)).toHaveLength(2);
  await galley.sessions.append("s", [{ id: "r", ts: 2000, type: "redact", entryId: "a" }]);
  expect((await galley.sessions.search(secret)).map(({ id }) => id)).toEqual(["other"]);
  await galley.sessions.delete("other", "other");
  const kept = bytesOf(data);
  expect(await galley.sessions.search(secret)).toEqual([]);
  expect(await galley.sessions.search("Go on")).toMatchObject([{ id: "s" }]);
  expect(kept).not.toContain("other");
  expect(kept).not.toContain(secret);
});

test("[L4] an index that is damaged or gone is made again; chats and tasks are searched in their own places", async () => {
  const data = dataFolder();
  const galley = await galleyIn(data);
  await galley.sessions.append("s", [said("a", "kerosene")]);
  await galley.store.sessions.append({ projectId: galley.project, sessionId: "task:1" }, [said("a", "kerosene")]);
  expect(await galley.sessions.search("kerosene")).toMatchObject([{ id: "s" }]);
  await galley.close();
  writeFileSync(join(data, "session-search.sqlite"), "damaged".repeat(2000));
  const again = await galleyIn(data);
  expect(await again.sessions.search("kerosene")).toMatchObject([{ id: "s", entryId: "a" }]);
});
