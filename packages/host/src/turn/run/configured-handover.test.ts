import { expect, test } from "vitest";
import type { GalleyConfig } from "../../config/load-config.ts";
import type { Galley } from "../../galley/galley.ts";
import { eventsOf, galleyIn, galleyWith } from "../../galley/testing/temp-galley.ts";
import type { LlmRequest } from "../../models/testing/llm-protocols.ts";

const writer = { name: "writer", text: "You write short sentences." };
const handler = {
  name: "write_report",
  description: "Has a report written.",
  inputSchema: {
    type: "object",
    properties: { topic: { type: "string" }, tone: { type: "string" } },
    required: ["topic"],
    additionalProperties: false,
  },
  handover: {
    context_packing_config: {
      pack_arguments: [{ arg_key: "topic", as_card_type: "task.instruction" }],
      inherit_context: { include_parent: true },
    },
  },
  profile: "writer",
} as const;

async function configured(config: GalleyConfig): Promise<Galley> {
  return galleyIn(undefined, { config });
}

async function built(galley: Galley, taskId: string): Promise<string> {
  const session = { projectId: galley.project, sessionId: `task:${taskId}` };
  return JSON.stringify((await galley.store.builds.read(session, 1))?.messages);
}

test("[T15] a profile of the configuration goes before a stored one of its name, and is not saved over", async () => {
  const plain = await galleyIn();
  await plain.handover.saveProfile("writer", "You write long sentences.");
  await plain.handover.saveProfile("critic", { text: "You criticise.", model: "demo", preset: "default" });
  const { data } = plain;
  await plain.close();
  const galley = await galleyIn(data, { config: { profiles: [writer] } });
  expect(await galley.handover.profiles()).toMatchObject([
    { name: "critic", model: "demo", preset: "default", isDeclared: false },
    { name: "writer", text: "You write short sentences.", isDeclared: true },
  ]);
  await expect(galley.handover.saveProfile("writer", "x")).rejects.toMatchObject({
    code: "EditNotAllowed",
    path: "name",
  });
  const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Write." });
  await galley.handover.waitFor(id);
  expect(await built(galley, id)).toContain("You write short sentences.");
});

test("[T15] a profile is taken away: its tasks keep its text, no new one is given to it, and the model is told which there are", async () => {
  const galley = await galleyIn(undefined, { config: { profiles: [writer] } });
  const { handover } = galley;
  await handover.saveProfile("critic", "You criticise.");
  const { task_id: id } = await handover.delegate({ profile: "critic", instruction: "Read." });
  await handover.removeProfile("critic");
  expect((await handover.waitFor(id)).status).toBe("succeeded");
  expect(await built(galley, id)).toContain("You criticise.");
  const run = galley.run({ chat: "a", input: "delegate to critic: Read it again." });
  const result = (await eventsOf(run)).find(({ type }) => type === "tool:result");
  expect(result).toMatchObject({
    output: {
      code: "NotFound",
      path: "args.target_ref",
      hint: expect.stringContaining("There are: writer.") as string,
    },
  });
  await expect(handover.removeProfile("critic")).rejects.toMatchObject({ code: "NotFound", path: "name" });
  await expect(handover.removeProfile("writer")).rejects.toMatchObject({ code: "EditNotAllowed", path: "name" });
});

test("[T15] a profile names the model and the preset of its tasks; one that does not exist fails the task with its name", async () => {
  const galley = await configured({
    profiles: [
      { ...writer, model: "demo", preset: "formal" },
      { name: "lost", text: "You are lost.", preset: "none" },
    ],
  });
  const preset = {
    version: 1 as const,
    presetMessages: [
      { role: "system" as const, content: "Be formal, {{char}}." },
      { role: "user" as const, type: "chat_history" as const, content: "" },
    ],
    variables: { char: "Ann" },
  };
  await galley.presets.save("formal", { preset, expectedVersion: 0 });
  const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Write." });
  const task = await galley.handover.waitFor(id);
  expect(task.details).toMatchObject({ model: "demo", preset: "formal" });
  expect(await built(galley, id)).toMatch(/You write short sentences.*You work for a person.*Be formal, Ann.*Write\./s);
  const { cards } = await galley.handover.buildOf(id);
  expect(cards.filter(({ section }) => section === "profile")).toMatchObject([{ fate: "kept", position: 0 }]);
  const lost = await galley.handover.delegate({ profile: "lost", instruction: "Write." });
  expect(await galley.handover.waitFor(lost.task_id)).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining("none") as string },
  });
});

test("[T15] an agent names the model and the preset of its turns", async () => {
  const galley = await configured({
    agents: [{ name: "ann", command: "none", model: "gpt-4o", preset: "formal" }],
  });
  const preset = { version: 1 as const, presetMessages: [{ role: "system" as const, content: "Be formal." }] };
  await galley.presets.save("formal", { preset, expectedVersion: 0 });
  const turn = await galley.turn({ agent: "ann", input: "Hello" });
  const build = await galley.store.builds.read({ projectId: galley.project, sessionId: "agent:ann" }, 1);
  expect([build?.model, JSON.stringify(turn.messages).includes("Be formal.")]).toEqual(["gpt-4o", true]);
  await turn.abort();
});

test.each([true, false])("[A5] a handler packs its arguments and starts a task; with wait: %s", async (wait) => {
  const { galley } = await galleyWith(({ userTexts, toolResults, tools }: LlmRequest) => {
    if (userTexts.join().includes("The sea")) return { text: "A report." };
    if (toolResults.length > 0) return { text: `Got ${toolResults.join()}` };
    const tool = tools.find(({ name }) => name === "write_report") ?? { name: "write_report" };
    return { tool, input: { topic: "The sea" } };
  });
  const { models } = galley.config ?? {};
  await galley.close();
  const providers = models?.providers ?? [];
  const own = await configured({
    profiles: [writer],
    handlers: [{ ...handler, wait }],
    models: { default: "local/tiny-1", providers },
  });
  const run = own.run({ chat: "a", input: "Go." });
  const result = (await eventsOf(run)).find((event) => event.type === "tool:result");
  const [task] = await own.store.tasks.list(own.project);
  const ended = await own.handover.waitFor(task?.id ?? "");
  expect(ended).toMatchObject({
    status: "succeeded",
    result: "A report.",
    details: { tool: "write_report", profileName: "writer", asked: "The sea" },
    origin: { place: "chat:a", turnId: run.runId },
  });
  expect(JSON.stringify(result).includes("A report.")).toBe(wait);
  expect(await built(own, task?.id ?? "")).toMatch(/You write short sentences.*You work for the chat a.*The sea/s);
});

test("[A5] in a task, a handler that waits parks it; wrong arguments are refused", async () => {
  const { galley } = await galleyWith(({ userTexts, toolResults, tools }: LlmRequest) => {
    if (userTexts.join().includes("The sea")) return { text: "A report." };
    const last = toolResults.at(-1) ?? "";
    const tool = tools.find(({ name }) => name === "write_report") ?? { name: "write_report" };
    if (last === "") return { tool, input: { topic: 1 } };
    return last.includes("ToolInputInvalid") ? { tool, input: { topic: "The sea" } } : { text: `Got ${last}` };
  });
  const { models } = galley.config ?? {};
  await galley.close();
  const own = await configured({
    profiles: [writer],
    handlers: [{ ...handler, wait: true }],
    models: { default: "local/tiny-1", providers: models?.providers ?? [] },
  });
  const { task_id: id } = await own.handover.delegate({ profile: "writer", instruction: "Begin." });
  const task = await own.handover.waitFor(id);
  expect(task).toMatchObject({
    status: "succeeded",
    attempt: 2,
    result: expect.stringContaining("A report.") as string,
  });
});

test.each<[string, GalleyConfig, string]>([
  [
    "the name of a tool of Galley",
    { profiles: [writer], handlers: [{ ...handler, name: "join" }] },
    "handlers[0].name",
  ],
  ["a name twice", { profiles: [writer], handlers: [handler, handler] }, "handlers[1].name"],
  ["a profile that does not exist", { handlers: [handler] }, "handlers[0].profile"],
  [
    "packing rules of another shape",
    { profiles: [writer], handlers: [{ ...handler, handover: { x: 1 } }] },
    "handlers[0].handover",
  ],
  ["profiles of one name", { profiles: [writer, writer] }, "profiles[1].name"],
])("[A5] %s is ConfigInvalid when the configuration is loaded", async (_, config, path) => {
  await expect(configured(config)).rejects.toMatchObject({
    code: "ConfigInvalid",
    path: expect.stringContaining(path) as string,
  });
});

test("[A5] a handler named like a tool that a program brings is ConfigInvalid", async () => {
  const tool = {
    name: "write_report",
    description: "x",
    inputSchema: {},
    execute: async () => ({ kind: "parked" as const }),
  };
  const config = { profiles: [writer], handlers: [handler] };
  await expect(galleyIn(undefined, { config, tools: [tool] })).rejects.toMatchObject({ code: "ConfigInvalid" });
});
