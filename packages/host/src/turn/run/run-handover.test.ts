import { expect, test } from "vitest";
import { awaitTask } from "../../handover/plan/results.ts";
import { openHandover } from "../../handover/options/handover-options.ts";
import { addProfile, eventsOf, galleyIn, galleyWith } from "../../galley/testing/temp-galley.ts";
import type { Galley } from "../../galley/galley.ts";
import type { LlmRequest } from "../../models/testing/llm-protocols.ts";

const finished = (galley: Galley, taskId: string) =>
  awaitTask(galley.project, taskId, openHandover(galley.handover.options));

test("[H4] without a profile there is nobody to delegate to, and no tool for it", async () => {
  const galley = await galleyIn();
  expect((await galley.turn({ chat: "a", input: "x" })).tools.map(({ name }) => name)).not.toContain("delegate_async");
  await addProfile(galley, "writer", "You write.");
  expect((await galley.turn({ chat: "a", input: "x" })).tools.map(({ name }) => name)).toContain("delegate_async");
});

test("[H4] a chat delegates to a profile; the embedded worker does the work and records what it read", async () => {
  const galley = await galleyIn();
  await addProfile(galley, "writer", "You write short sentences.");
  const run = galley.run({ chat: "a", input: "delegate to writer: Write about the sea." });
  const events = await eventsOf(run);
  const result = events.find((event) => event.type === "tool:result");
  const taskId = result?.type === "tool:result" ? (result.output as { task_id: string }).task_id : "";
  const task = await finished(galley, taskId);
  expect([task.status, task.result]).toEqual(["succeeded", expect.stringContaining("Write about the sea.")]);
  const [build] = await galley.store.builds.list({ projectId: "default", sessionId: `task:${taskId}` });
  expect(build).toMatchObject({ n: 1, model: "demo" });
  const whole = await galley.store.builds.read({ projectId: "default", sessionId: `task:${taskId}` }, 1);
  expect(JSON.stringify(whole?.messages)).toContain("You write short sentences.");
});

test("[H4] a program names a profile, gives it a task and waits for the answer", async () => {
  const galley = await galleyIn();
  const { handover } = galley;
  const boxId = await handover.saveProfile("writer", "You write short sentences.");
  expect(await galley.store.cards.findProfile("default", "writer")).toEqual({ name: "writer", boxId });
  const { task_id: id } = await handover.delegate({ profile: "writer", instruction: "Write about the sea." });
  const { status, result } = await handover.waitFor(id);
  expect([status, result]).toEqual(["succeeded", expect.stringContaining("Write about the sea.")]);
  await expect(handover.waitFor("none")).rejects.toMatchObject({ code: "NotFound" });
  await expect(handover.saveProfile("writer", " ")).rejects.toMatchObject({ code: "BadRequest", path: "text" });
  await expect(handover.saveProfile("", "You write.")).rejects.toMatchObject({ code: "BadRequest", path: "name" });
});

test("[P6] a profile that a program saves holds no secret", async () => {
  const galley = await galleyIn();
  galley.redactor.add("KEY", "sesame-0123456789");
  const boxId = await galley.handover.saveProfile("writer", "Say sesame-0123456789.");
  const [box] = await galley.store.cards.readBoxes("default", [boxId]);
  const cards = await galley.store.cards.readCards("default", box?.items.map(({ cardId }) => cardId) ?? []);
  expect(cards).toMatchObject([{ content: { text: "Say ‹secret:KEY›." } }]);
});

test("[H4] a question to an expert is answered within the run", async () => {
  const galley = await galleyIn();
  await addProfile(galley, "sailor", "You know the sea.");
  const run = galley.run({ chat: "a", input: "ask sailor: How deep is it?" });
  const result = (await eventsOf(run)).find((event) => event.type === "tool:result");
  expect(result).toMatchObject({ isError: false, output: { status: "succeeded" } });
  expect(JSON.stringify(result)).toContain("How deep is it?");
});

test("[H7] a fork of two waits within the run for both results, in their order", async () => {
  const galley = await galleyIn();
  await addProfile(galley, "writer", "You write.");
  await addProfile(galley, "critic", "You criticise.");
  const run = galley.run({ chat: "a", input: "fork: writer: Write a title | critic: Find a risk" });
  const result = (await eventsOf(run)).find((event) => event.type === "tool:result");
  expect(result).toMatchObject({ isError: false, output: { status: "success" } });
  const { results } = (result?.type === "tool:result" ? result.output : {}) as { results: { result: string }[] };
  expect(results.map((one) => one.result)).toEqual([
    expect.stringContaining("Write a title"),
    expect.stringContaining("Find a risk"),
  ]);
  expect((await run.result).finish).toBe("stop");
});

test("[H7] an agent of a fork forks again, is parked, and goes on with the results", async () => {
  const { galley } = await galleyWith(({ userTexts, toolResults, tools }: LlmRequest) => {
    const asked = userTexts.join("\n");
    const fork = tools.find(({ name }) => name === "fork_join") ?? { name: "fork_join" };
    const task = (instruction: string) => ({ target_strategy: "new", target_ref: "helper", instruction });
    if (toolResults.length > 0) return { text: `Got: ${toolResults.join(" ")}` };
    if (asked.includes("leaf")) return { text: `done ${/leaf \d/.exec(asked)?.[0] ?? ""}` };
    const tasks = asked.includes("branch") ? [task("leaf 1"), task("leaf 2")] : [task("branch")];
    return { tool: fork, input: { tasks } };
  });
  await addProfile(galley, "helper", "You help.");
  const { text } = await galley.run({ chat: "a", input: "start" }).result;
  expect(text).toContain("done leaf 1");
  expect(text).toContain("done leaf 2");
  const tasks = await galley.store.tasks.list("default");
  expect(tasks.map(({ status, depth }) => `${status} ${depth}`).sort()).toEqual([
    "succeeded 0",
    "succeeded 1",
    "succeeded 1",
  ]);
});

test("[H4] what a chat delegates is done by the chat's own model", async () => {
  const { galley, server } = await galleyWith(() => ({ text: "never asked" }));
  await addProfile(galley, "writer", "You write.");
  const run = galley.run({ chat: "a", model: "demo", input: "ask writer: Who are you?" });
  expect(JSON.stringify(await eventsOf(run))).toContain("[demo]");
  expect(server.bodies).toEqual([]);
});

test("[H4] aborting a run cancels what it waits for", async () => {
  const { galley } = await galleyWith(({ userTexts, tools }) => {
    if (userTexts.join().includes("wait")) return { stalledText: "…" };
    const fork = tools.find(({ name }) => name === "fork_join") ?? { name: "fork_join" };
    return { tool: fork, input: { tasks: [{ target_strategy: "new", target_ref: "w", instruction: "wait" }] } };
  });
  await addProfile(galley, "w", "You wait.");
  const run = galley.run({ chat: "a", input: "go" });
  for await (const event of run) {
    if (event.type !== "tool:call") continue;
    while ((await galley.store.tasks.list("default"))[0]?.status !== "running") await new Promise(setImmediate);
    run.abort();
  }
  await expect(run.result).rejects.toMatchObject({ code: "RunAborted" });
  expect((await galley.store.tasks.list("default")).map(({ status }) => status)).toEqual(["cancelled"]);
});

test("[H4] a person delegates with several boxes, and the worker starts by itself", async () => {
  const galley = await galleyIn();
  await addProfile(galley, "writer", "You write.");
  await addProfile(galley, "sea", "The sea is deep.");
  await addProfile(galley, "sky", "The sky is high.");
  const { delegate } = { delegate: galley.handover.delegate.bind(galley.handover) };
  const boxes = ["box-sea", "box-sky"];
  const { task_id } = await delegate({ profile: "writer", instruction: "Write.", boxes });
  expect((await finished(galley, task_id)).status).toBe("succeeded");
  const build = await galley.store.builds.read({ projectId: "default", sessionId: `task:${task_id}` }, 1);
  expect(JSON.stringify(build?.messages)).toMatch(/The sea is deep.*The sky is high/s);
  await expect(delegate({ profile: "writer", instruction: "x", boxes: ["no", "box"] })).rejects.toMatchObject({
    code: "NotFound",
  });
});

test("[A3a] a person gives a task with a chat or a session as its context and a model; the answer returns to the place", async () => {
  const galley = await galleyIn();
  await addProfile(galley, "writer", "You write.");
  await galley.run({ chat: "sea", input: "The sea is deep." }).result;
  await galley.run({ session: "sky", input: "The sky is high." }).result;
  const give = (place: string, boxes: readonly string[] = []) =>
    galley.handover.delegate({ profile: "writer", instruction: "Write.", place, boxes, model: "demo" });
  for (const [place, named, said] of [
    ["chat:sea", "chat:sea", "The sea is deep."],
    ["sky", "session:sky", "The sky is high."],
  ] as const) {
    const { task_id: id } = await give(place, ["box-writer"]);
    const task = await finished(galley, id);
    expect(task).toMatchObject({ status: "succeeded", origin: { place: named }, details: { model: "demo" } });
    const build = await galley.store.builds.read({ projectId: "default", sessionId: `task:${id}` }, 1);
    expect(JSON.stringify(build?.messages)).toContain(said);
    expect(JSON.stringify(build?.messages)).toContain(`was said in ${named} before`);
  }
  const next = await galley.turn({ chat: "sea", input: "And?" });
  expect(JSON.stringify(next.messages)).toContain("another agent");
  await expect(give("chat:nothing")).rejects.toMatchObject({ code: "NotFound", path: "place" });
});

test("[A3] an expert is shown what was said in a chat, in a session and in a task, as far as it fits, with its origin", async () => {
  const asked: string[] = [];
  const { galley } = await galleyWith(
    ({ userTexts, toolResults, tools }: LlmRequest) => {
      const all = userTexts.join("\n");
      if (all.includes("How deep is it?")) {
        asked.push(all);
        return { text: "Very deep." };
      }
      if (toolResults.length > 0 || !all.includes("Ask the sailor.")) return { text: "Noted." };
      const tool = tools.find(({ name }) => name === "ask_expert") ?? { name: "ask_expert" };
      return { tool, input: { profile_name: "sailor", question: "How deep is it?", include_history: true } };
    },
    { window: 6000 },
  );
  await addProfile(galley, "sailor", "You know the sea.");
  for (const place of [{ chat: "a" }, { session: "s" }]) {
    for (let count = 0; count < 12; count += 1) {
      await galley.run({ ...place, input: `Fact ${count}: ${"the sea is salty ".repeat(40)}` }).result;
    }
    await galley.run({ ...place, input: "Ask the sailor." }).result;
  }
  const { task_id: id } = await galley.handover.delegate({ profile: "sailor", instruction: "Ask the sailor." });
  await galley.handover.waitFor(id);
  expect(asked).toHaveLength(3);
  const [inChat = "", inSession = "", inTask = ""] = asked;
  expect(inChat).toMatch(/\[What follows was said in chat:a before you were asked: the newest \d+ of 25 messages/);
  expect(inChat).toContain("Fact 11");
  expect(inChat).not.toContain("Fact 0:");
  expect(inSession).toContain("said in session:s before");
  expect(inTask).toMatch(/What follows was said in \w+ before you were asked: 2 messages.*Ask the sailor\./s);
});

test("[A3] the history that an expert is shown fits half of the expert's own input, not of the asker's", async () => {
  const { galley } = await galleyWith(({ userTexts, toolResults, tools }: LlmRequest) => {
    if (toolResults.length > 0 || !userTexts.join().includes("Ask the sailor.")) return { text: "Noted." };
    const tool = tools.find(({ name }) => name === "ask_expert") ?? { name: "ask_expert" };
    return { tool, input: { profile_name: "sailor", question: "How deep is it?", include_history: true } };
  });
  await galley.handover.saveProfile("sailor", { text: "You know the sea.", model: "demo" });
  const long = "the sea is salty ".repeat(1800);
  const chat = await galley.chats.open("a");
  for (let count = 0; count < 12; count += 1) await chat.append([{ role: "user", content: `Fact ${count}: ${long}` }]);
  const window = { maxInputTokens: 1_000_000 };
  await galley.run({ chat: "a", input: "Ask the sailor.", context: window }).result;
  const [task] = await galley.store.tasks.list(galley.project);
  const build = await galley.store.builds.read({ projectId: galley.project, sessionId: `task:${task?.id}` }, 1);
  expect(task?.status).toBe("succeeded");
  expect(JSON.stringify(build?.messages)).toMatch(/before you were asked: the newest [1-4] of 13 messages/);
});

test("[A3] a client that Galley does not run is not offered a history to include", async () => {
  const galley = await galleyIn();
  await addProfile(galley, "sailor", "You know the sea.");
  const schemaOf = async (place: Parameters<Galley["toolsFor"]>[0]): Promise<string> => {
    const { tools } = await galley.toolsFor(place);
    return JSON.stringify(tools.find(({ name }) => name === "ask_expert")?.inputSchema);
  };
  expect(await schemaOf({ kind: "chat", name: "a" })).toContain("include_history");
  const { tools } = await galley.toolsFor({ kind: "agent", name: "local" });
  const ask = tools.find(({ name }) => name === "ask_expert");
  expect(JSON.stringify(ask?.inputSchema ?? {})).not.toContain("include_history");
});

test("[A2] an expert that asks the same expert again and again comes to an end, and the one who waits gets an answer", async () => {
  const { galley } = await galleyWith(({ toolResults, tools }: LlmRequest) => {
    const ask = tools.find(({ name }) => name === "ask_expert") ?? { name: "ask_expert" };
    if (toolResults.length > 0) return { text: `I heard: ${toolResults.at(-1)?.slice(0, 200)}` };
    return { tool: ask, input: { profile_name: "oracle", question: "And you?" } };
  });
  await addProfile(galley, "oracle", "You ask others.");
  const { text } = await galley.run({ chat: "a", input: "What is it?" }).result;
  expect(text).toContain("I heard");
  const tasks = await galley.store.tasks.list(galley.project);
  expect([tasks.length, new Set(tasks.map(({ status }) => status))]).toEqual([21, new Set(["succeeded"])]);
});

test("[A1] a result that breaks its fields three times fails, and the chat that waits is told why", async () => {
  const { galley } = await galleyWith(({ userTexts, toolResults, tools }: LlmRequest) => {
    if (userTexts.join().includes("Count.")) return { text: "Many." };
    if (toolResults.length > 0) return { text: `It said ${toolResults.join()}` };
    const ask = tools.find(({ name }) => name === "ask_expert") ?? { name: "ask_expert" };
    return {
      tool: ask,
      input: { profile_name: "counter", question: "Count.", result_fields: [{ name: "n", type: "integer" }] },
    };
  });
  await addProfile(galley, "counter", "You count.");
  const { text } = await galley.run({ chat: "a", input: "How many?" }).result;
  expect(text).toMatch(/"status":\s*"failed".*ResultInvalid/s);
  const [task] = await galley.store.tasks.list(galley.project);
  expect(task).toMatchObject({ status: "failed", failures: 3 });
});

test("[H4] a task to a profile that does not exist any more says so to the model", async () => {
  const galley = await galleyIn();
  await addProfile(galley, "writer", "You write.");
  const events = await eventsOf(galley.run({ chat: "a", input: "delegate to ghost: Write." }));
  const result = events.find((event) => event.type === "tool:result");
  expect(result).toMatchObject({ isError: true, output: { code: "NotFound", path: "args.target_ref" } });
});
