import { existsSync, readFileSync } from "node:fs";
import type { AssistantMessage, ModelMessage } from "@galley/engine";
import type { ToolMessage } from "@galley/engine/messages";
import { expect, test } from "vitest";
import {
  activeFile,
  chatWith,
  codeOf,
  dataFolder,
  jsonLines,
  open,
  say,
  texts,
  transcriptFile,
} from "./testing/temp-chat.ts";
import type { Chat } from "./chat.ts";
import { type ChatRun, beginRun } from "./chat-run.ts";
import { runTool, valueOf } from "../tools/run-tool.ts";
import { specOf } from "../tools/tool-specs.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { contextTools } from "./context-tools.ts";

const ask = (chat: Chat, content: string): ChatRun => beginRun(chat, { role: "user", content });
const reply = (content: string): AssistantMessage => ({ role: "assistant", content });

function call(name: string, input: unknown): AssistantMessage {
  return { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: name, input }] };
}

const context: ToolContext = {
  caller: "chat:test",
  place: { kind: "chat", name: "test" },
  callId: "1",
  signal: new AbortController().signal,
};

async function execute(tools: readonly Tool[], name: string, input: unknown, runId?: string): Promise<unknown> {
  const outcome = await runTool(
    tools.find((tool) => tool.name === name)!,
    input,
    { ...context, ...(runId && { runId }) },
  );
  return outcome.kind === "result" ? valueOf(outcome.content) : outcome;
}

/** What an agent loop does with a tool call. */
async function step(run: ChatRun, name: string, input: unknown): Promise<ModelMessage[]> {
  const result = await execute(run.tools, name, input);
  const answer: ToolMessage = {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "1", toolName: name, output: { type: "json", value: result as never } },
    ],
  };
  const messages = [call(name, input), answer];
  run.add(messages);
  return messages;
}

test("[W11] a committed run leaves the user's message and the reply in transcript and active context", async () => {
  const chat = await chatWith(["a", "b"]);
  const run = ask(chat, "c");
  expect(run.messages().map(({ content }) => content)).toEqual(["a", "b", "c"]);
  expect(texts(chat)).toEqual(["a", "b"]);
  await run.commit(reply("d"));
  expect(texts(chat)).toEqual(["a", "b", "c", "d"]);
  expect(jsonLines(transcriptFile(chat))).toHaveLength(4);
  expect(await codeOf(() => run.commit(reply("e")))).toBe("EditNotAllowed");
});

test("[W11] a failed run leaves the user's message in the transcript only", async () => {
  const chat = await chatWith(["a", "b"]);
  const before = readFileSync(activeFile(chat));
  await ask(chat, "c").fail();
  expect(readFileSync(activeFile(chat))).toEqual(before);
  expect(jsonLines(transcriptFile(chat)).at(-1)).toMatchObject({ role: "user", content: "c", failed: true });
});

test("[W11] after a switch the run goes on with the new list, the current message and the switching step", async () => {
  const chat = await chatWith(["apples", "red"]);
  const run = ask(chat, "now pears");
  run.add([
    call("search", {}),
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "1", toolName: "search", output: { type: "text", value: "old" } }],
    },
  ]);
  const switching = await step(run, "chat_context_new", { title: "Apples" });
  expect(run.messages()).toEqual([{ role: "user", content: "now pears" }, ...switching]);
  await run.commit(reply("green"));
  expect(texts(chat)).toEqual(["now pears", "green"]);

  const next = ask(chat, "back to apples");
  const loading = await step(next, "chat_context_load", { query: "apples" });
  const [notice, ...rest] = next.messages();
  expect(JSON.stringify(notice)).toContain("reference only");
  expect(rest).toEqual([
    { role: "user", content: "apples" },
    { role: "assistant", content: "red" },
    { role: "user", content: "back to apples" },
    ...loading,
  ]);
  expect(next.inputMessages()).toEqual([{ role: "user", content: "back to apples" }, ...loading]);
  await next.commit(reply("still red"));
  expect(texts(chat)).toEqual(["apples", "red", "back to apples", "still red"]);
  expect(jsonLines(transcriptFile(chat))).toHaveLength(6);
});

test("[W6] clear in a run leaves the current message to the run", async () => {
  const chat = await chatWith(["a", "b"]);
  const run = ask(chat, "c");
  const clearing = await step(run, "chat_context_clear_active", {});
  expect(run.messages()).toEqual([{ role: "user", content: "c" }, ...clearing]);
  await run.commit(reply("d"));
  expect(texts(chat)).toEqual(["c", "d"]);
});

test("[W4] a load without a match, and a list, switch nothing", async () => {
  const chat = await chatWith(["a", "b"]);
  const run = ask(chat, "c");
  const loading = await step(run, "chat_context_load", { query: "nothing like it" });
  const listing = await step(run, "chat_context_list", {});
  expect(JSON.stringify(loading)).toContain("nothing was switched");
  expect(
    run
      .messages()
      .slice(0, 3)
      .map(({ content }) => content),
  ).toEqual(["a", "b", "c"]);
  expect(run.messages().slice(3)).toEqual([...loading, ...listing]);
});

test("[W12] without an active context the transcript is injected as one labelled assistant message", async () => {
  const folder = dataFolder();
  const chat = await open(folder);
  await chat.append(
    [
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi" },
    ],
    "transcript",
  );
  expect(existsSync(activeFile(chat))).toBe(false);
  const run = ask(chat, "and now?");
  expect(run.messages()).toEqual([
    {
      role: "assistant",
      content: expect.stringMatching(/^The following[^]*reference only[^]*user: hello\nassistant: hi$/),
    },
    { role: "user", content: "and now?" },
  ]);
  await run.commit(reply("this"));
  const next = ask(await open(folder), "下一个").messages();
  expect(next[0]).toEqual(run.messages()[0]);
  expect(next.slice(1).map(({ content }) => content)).toEqual(["and now?", "this", "下一个"]);
});

test("[W12] an empty active context injects nothing", async () => {
  const chat = await chatWith(["a", "b"]);
  await chat.newContext();
  expect(ask(chat, "c").messages()).toEqual([{ role: "user", content: "c" }]);
  expect(ask(await open(), "first").messages()).toEqual([{ role: "user", content: "first" }]);
});

test("[W11] a run has its steps since the last switch, and once it has ended it takes nothing more", async () => {
  const chat = await chatWith(["a", "b"]);
  const question = { role: "user", content: "q" } as const;
  for (const end of ["committed", "failed"] as const) {
    const run = beginRun(chat, question);
    run.add([reply("thinking")]);
    expect(run.inputMessages()).toEqual([question, reply("thinking")]);
    await execute(run.tools, "chat_context_new", {});
    expect(run.messages()).toEqual([question]);
    await (end === "committed" ? run.commit(reply("answer")) : run.fail());
    expect(() => run.add([reply("late")])).toThrow(end);
  }
});

test("[W11] a run ends once, also when its ends are not waited for", async () => {
  const chat = await chatWith([]);
  const run = beginRun(chat, { role: "user", content: "q" });
  const ends = [
    run.commit({ role: "assistant", content: "a" }),
    run.fail(),
    run.commit({ role: "assistant", content: "b" }),
  ];
  expect((await Promise.allSettled(ends)).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(chat.transcript().messages.map(({ content }) => content)).toEqual(["q", "a"]);
});

test("[W11] a run that could not be written may be committed again", async () => {
  const chat = await chatWith(["a", "b"]);
  const run = ask(chat, "c");
  expect(await codeOf(() => run.commit({ role: "assistant", content: "" }))).toBe("ContextInvalidInput");
  await run.commit(reply("d"));
  expect(texts(chat)).toEqual(["a", "b", "c", "d"]);
});

test("[W5] the tools say what they take, and refuse the rest", async () => {
  const chat = await chatWith(["a", "b"]);
  const tools = contextTools(chat);
  expect(tools.map(({ name }) => name)).toEqual([
    "chat_context_new",
    "chat_context_load",
    "chat_context_list",
    "chat_context_clear_active",
  ]);
  const [, load, list] = tools.map(specOf);
  expect(load!.inputSchema).toMatchObject({
    type: "object",
    properties: { mode: { enum: ["full", "recent", "summary"] } },
  });
  expect(list!.inputSchema).toMatchObject({ properties: { limit: { type: "integer" } } });
  const refusal = (name: string, input: unknown): Promise<string> => codeOf(() => execute(tools, name, input));
  expect(await refusal("chat_context_list", { limit: 1000 })).toBe("ToolInputInvalid");
  expect(await refusal("chat_context_load", {})).toBe("ContextInvalidInput");
  expect(await refusal("chat_context_load", { query: "a", mode: "half" })).toBe("ToolInputInvalid");
  expect(await refusal("chat_context_load", { contextId: "../../secret" })).toBe("ContextInvalidInput");
  expect(await refusal("chat_context_load", { contextId: "c_20260101_none" })).toBe("NotFound");
  expect(await refusal("chat_context_new", "text")).toBe("ToolInputInvalid");
  expect(texts(chat)).toEqual(["a", "b"]);
  await say(chat, ["still", "there"]);
});

test("[W11b] a load that is made again, because its process was stopped before its result was kept, loads the same context", async () => {
  const chat = await chatWith(["Where is the tea?", "In the pantry."]);
  const { contextId } = (await chat.newContext()).archived!;
  // What a second search would find.
  await say(chat, ["Where will the tea be tomorrow?", "In the kitchen."]);
  const load = (run: ChatRun, runId: string): Promise<unknown> =>
    execute(run.tools, "chat_context_load", { query: "where is the tea" }, runId);
  expect(await load(ask(chat, "back to the tea"), "r1")).toMatchObject({ loaded: { contextId } });
  const resumed = ask(chat, "back to the tea");
  expect(await load(resumed, "r1")).toMatchObject({ loaded: { contextId } });
  await resumed.commit(reply("Here."));
  const tea = ["Where is the tea?", "In the pantry.", "back to the tea", "Here."];
  expect([texts(chat), (await chat.listContexts()).total]).toEqual([tea, 2]);
  expect(await load(ask(chat, "the other tea"), "r2")).not.toMatchObject({ loaded: { contextId } });
});
