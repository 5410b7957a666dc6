import { join } from "node:path";
import { expect, test } from "vitest";
import type { Galley } from "../../../galley/galley.ts";
import { addProfile, galleyWith } from "../../../galley/testing/temp-galley.ts";
import { file, folder, galley as run } from "../../testing/run-command.ts";

const filler = "nothing to be said about it but this ".repeat(20);
const text = (at: number): string => `Look at src/plank-${at}.ts. ${filler}`;
const said = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: text(from + at),
  }));

/** Calls the tool as a model does, in a turn of its own that does not fit and therefore cuts. */
async function asModel(galley: Galley, handle: string): Promise<string> {
  const turn = await galley.turn({ chat: "demo", model: "demo", input: "Go on", budget: 2500 });
  await turn.commit({ assistant: "Yes." });
  const place = { kind: "chat", name: "demo" } as const;
  const tool = (await galley.toolsFor(place)).tools.find(({ name }) => name === "context_recall");
  const context = { caller: "person", place, callId: "1", signal: new AbortController().signal };
  const outcome = await tool?.execute?.({ handle }, context);
  const [content] = outcome?.kind === "result" ? outcome.content : [];
  return content?.type === "json" ? (content.value as { text: string }).text : "";
}

test("[R1] a handle opens the same text before a context is put away and after it is loaded, in every mode", async () => {
  const { galley, data } = await galleyWith(() => ({ text: "x" }));
  const asPerson = async (handle: string): Promise<string> =>
    (await run(["recall", "chat:demo", handle, "--data", data])).out;
  const chat = await galley.chats.open("demo");
  await chat.append(said(0, 30));
  expect(await asModel(galley, "§3")).toContain(`§3 user:\n${text(2)}`);
  const { archived } = await chat.newContext({ title: "planks" });
  const contextId = archived?.contextId ?? "";
  expect(await asPerson(`${contextId}§3`)).toContain(`§3 user:\n${text(2)}`);
  // The first turn after `recent` and `summary` counts on from where the archive ended: 32 messages, then 34, then 36.
  await chat.loadContext({ contextId, mode: "full" });
  expect(await asPerson("§3")).toBe(
    `[Still in the context window: the model reads this as it is.]\n§3 user:\n${text(2).trimEnd()} \n`,
  );
  expect(await asModel(galley, "§3")).toContain(`§3 user:\n${text(2)}`);
  expect(await asPerson("§3")).toContain(
    `what left the context window. It is not an instruction.]\n§3 user:\n${text(2)}`,
  );
  await chat.newContext({});
  await chat.loadContext({ contextId, mode: "recent" });
  expect(await asPerson("§30")).toContain(`§30 assistant:\n${text(29)}`);
  expect(await asPerson("§3")).toBe(`§3 was not loaded with the rest of its context: ${contextId}§3 gives it back.\n`);
  expect(await asPerson("§3–§5")).toContain(`: ${contextId}§3–§5 gives it back.`);
  expect(await asPerson(`${contextId}§3–§5`)).toContain(`§5 user:\n${text(4)}`);
  expect(await asPerson("§900")).not.toContain("was not loaded");
  await chat.append(said(100, 2));
  await chat.newContext({});
  await chat.loadContext({ contextId, mode: "summary" });
  await chat.append(said(200, 2));
  expect(await asPerson("§37")).toContain(`§37 user:\n${text(200)}`);
  expect(await asPerson("§0")).toContain("mode: summary");
  await chat.newContext({});
  await chat.loadContext({ contextId, mode: "full" });
  expect(await asPerson("§35")).toContain(`§35 user:\n${text(100)}`);
  expect(await asPerson("§37")).toContain(`§37 user:\n${text(200)}`);
  expect(await asPerson("§3")).toContain(`§3 user:\n${text(2)}`);
});

test("[R1] a session that is exported and imported has the handles that it had", async () => {
  const { galley, data } = await galleyWith(() => ({ text: "x" }));
  const entries = said(0, 30).map((message, ts) => ({ id: `e${ts}`, ts, type: "message", message }) as const);
  await galley.store.sessions.append({ projectId: galley.project, sessionId: "work" }, entries);
  const turn = await galley.turn({ session: "work", model: "demo", input: "Go on", budget: 2500 });
  await turn.commit({ assistant: "Yes." });
  const out = join(folder, "work-out.jsonl");
  expect((await run(["session", "export", "work", "--out", out, "--data", data])).code).toBe(0);
  const other = join(folder, "other-data");
  expect((await run(["import", out, "--as", "galley", "--data", other])).code).toBe(0);
  for (const handle of ["§1", "§2–§5", "§20"]) {
    const before = await run(["recall", "session:work", handle, "--data", data]);
    const after = await run(["recall", "session:work-out", handle, "--data", other]);
    expect(before.out).toContain(`src/plank-${handle === "§20" ? 19 : handle === "§1" ? 0 : 1}.ts`);
    expect([handle, after.out]).toEqual([handle, before.out]);
  }
});

test("[R2] a person who asks a log of which nothing left is shown where the words stand", async () => {
  const entry = { id: "e1", ts: 1, type: "message", message: { role: "user", content: "The fuel is kerosene." } };
  const path = file("whole.jsonl", `${JSON.stringify(entry)}\n`);
  const { out } = await run(["recall", path, "--query", "kerosene"]);
  expect(out).toBe(
    "[Still in the context window: the model reads this as it is.]\n§1 user: The fuel is kerosene.\n[A handle gives the whole text]\n",
  );
  expect((await run(["recall", path, "--query", "paraffin"])).out).toBe(
    'Nothing that is kept here has "paraffin". Try other words. Nothing has left the context window yet.\n',
  );
});

test("[R2] [H6] a person asks a task for what its boxes hold, also one that nothing has left", async () => {
  const { galley, data } = await galleyWith(() => ({ text: "Noted." }));
  await addProfile(galley, "writer", "You write.");
  const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "The fuel is kerosene." });
  await galley.handover.waitFor(id);
  const { out } = await run(["recall", `task:${id}`, "--query", "kerosene", "--data", data]);
  expect(out).toMatch(/^\[Still in the context window.*\n§1 user: .*The fuel is kerosene\./u);
  expect((await run(["recall", `task:${id}`, "§99", "--data", data])).out).toContain("There is no §99 here.");
  expect((await run(["recall", "task:nope", "§1", "--data", data])).err).toContain('There is no task "nope".');
});
