import { expect, test } from "vitest";
import { addProfile, protocolModels } from "../src/galley/testing/temp-galley.ts";
import { awaitTask } from "../src/handover/plan/results.ts";
import { openHandover } from "../src/handover/options/handover-options.ts";
import { claimFault } from "./claim-fault.ts";
import { liedTo } from "./lied-to.ts";
import type { Asked } from "../src/models/testing/scripted-server.ts";
import { type ProtocolName, protocolNames } from "./lying-model.ts";

const area = "models";

interface Lie {
  readonly name: string;
  /** The call as an honest server would send it. */
  readonly call?: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
  /** What is made of its stream. */
  readonly bend?: (stream: string) => string;
  /** How often the tool may be served in the whole of it; not at all if absent. */
  readonly served?: number;
}

const note = { tool: "note", input: { text: "tea" } };
const inputAsText = String.raw`{\"text\":\"tea\"}`;
const inputAsJson = '"args":{"text":"tea"}';
const withInput = (text: string, json: string) => (stream: string) =>
  stream.replaceAll(inputAsText, text).replaceAll(inputAsJson, `"args":${json}`);
const withId = (id: string) => (stream: string) => stream.replaceAll(/"(?:call_1|toolu_1)"/gu, JSON.stringify(id));

const lies: readonly Lie[] = [
  { name: "a tool that does not exist", call: { tool: "brew", input: {} } },
  { name: "a tool with a name that is none", call: { tool: "brew\u0000 some\n\u001B[31mtea é", input: {} } },
  { name: "a tool with a name of a thousand letters", call: { tool: "b".repeat(1000), input: {} } },
  { name: "a tool that is almost called like one", call: { tool: "note ", input: {} } },
  { name: "a tool without a name", call: { tool: "", input: {} } },
  { name: "no id", bend: withId(""), served: 1 },
  { name: "an id of a hundred thousand letters", bend: withId("x".repeat(100_000)), served: 1 },
  { name: "an id of control characters", bend: withId("\u0000\n\u001B \u{1F375}"), served: 1 },
  { name: "arguments that are not JSON", bend: withInput("{text: tea", '"{text: tea"') },
  { name: "arguments that are half a JSON", bend: withInput(String.raw`{\"text\":\"te`, '"{"') },
  { name: "arguments that are a list", bend: withInput("[1]", "[1]") },
  { name: "arguments that are a number", bend: withInput("7", "7") },
];

/** Calls as the lie has them, and then a word. */
function lying({ call = note, bend = (stream) => stream }: Lie): (asked: Asked) => void {
  return ({ n, begin, frames, say }) => {
    if (n > 0) return say({ text: "Well then." });
    begin().end(bend(frames({ tool: { name: call.tool }, input: call.input }).join("")));
  };
}

test.for(lies)("a call with $name leaves a history that every provider takes", async (lie, { task }) => {
  claimFault(task, {
    area,
    fault: "calls of tools that do not exist, with names, ids or arguments that are none",
    holds: "no tool runs that was not called by its name with arguments; the model is told why; every request is valid",
    rounds: protocolNames.length,
  });
  const { ask, checkRest, noted } = await liedTo(lying(lie));
  for (const protocol of protocolNames) {
    const outcome = await ask(protocol, protocol, "Go.");
    // Some packages drop a call without a name, so that nothing of the reply is left.
    const isDropped = "code" in outcome && lie.call?.tool === "";
    const expected = isDropped ? { code: "ModelFailed", path: "model" } : { finish: "stop", text: "Well then." };
    expect([protocol, outcome]).toMatchObject([protocol, expected]);
    const ids = noted.splice(0).map(({ callId }) => callId);
    expect([protocol, ids.length]).toEqual([protocol, lie.served ?? 0]);
    for (const id of ids) expect(id).toMatch(/^[\s\S]{1,128}$/u);
    await checkRest(protocol, protocol);
  }
});

test("the same id for every call of every reply is told apart", async ({ task }) => {
  claimFault(task, {
    area,
    fault: "the same id for every call, within a reply and from reply to reply",
    holds: "each call has an id of its own and one result; every request is valid",
    rounds: protocolNames.length,
  });
  for (const protocol of protocolNames) {
    const { ask, checkRest, noted } = await liedTo(({ n, begin, frames, say }) => {
      const stream = frames({ tool: { name: note.tool }, input: note.input });
      if (n > 2) say({ text: "Done." });
      else begin().end((n === 0 ? twice(protocol, stream) : stream).join(""));
    });
    const outcome = await ask(protocol, protocol, "Go.");
    expect([protocol, outcome]).toMatchObject([protocol, { finish: "stop", text: "Done." }]);
    const ids = noted.map(({ callId }) => callId);
    expect([protocol, ids.length, new Set(ids).size]).toEqual([protocol, 4, 4]);
    await checkRest(protocol, protocol);
  }
});

/** Which events of a stream are its call. */
const callEvents: Readonly<Record<ProtocolName, readonly [from: number, to: number]>> = {
  "openai-chat": [1, 2],
  anthropic: [1, 4],
  "openai-responses": [1, 3],
  gemini: [0, 0],
};

/** The same call twice in one reply, with one id. */
function twice(protocol: ProtocolName, stream: readonly string[]): readonly string[] {
  const [from, to] = callEvents[protocol];
  const place = protocol === "openai-chat" ? '"tool_calls":[{"index":' : 'index":';
  const again = stream.slice(from, to).map((event) => event.replace(`${place}0`, `${place}1`));
  return stream
    .toSpliced(to, 0, ...again)
    .map((event) => event.replace(/"parts":\[(\{.*?\}\}\})\]/u, '"parts":[$1,$1]'));
}

test.for(lies)("[H4] in a task a call with $name ends the task in good order", async (lie, { task }) => {
  claimFault(task, {
    area,
    fault: "such calls in a task of a worker",
    holds: "the task goes on to its result; no tool runs that was not called by its name with arguments",
    rounds: 2,
  });
  for (const protocol of ["openai-chat", "anthropic"] as const) {
    const { galley, noted, model } = await liedTo(lying(lie), { workerModel: protocolModels[protocol] });
    await addProfile(galley, "writer", "You write.");
    const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Write." });
    const task = await awaitTask(galley.project, id, openHandover(galley.handover.options));
    expect([protocol, task]).toMatchObject([protocol, { status: "succeeded", result: "Well then." }]);
    expect([protocol, noted.length]).toEqual([protocol, lie.served ?? 0]);
    expect(model.bodies.length).toBeGreaterThanOrEqual(2);
    await galley.close();
  }
});

test("[H4] half a stream in a task is tried again", async ({ task }) => {
  claimFault(task, {
    area,
    fault: "half a stream in a task of a worker",
    holds: "the task is tried again and succeeds; nothing of the half is in its box",
    rounds: protocolNames.length,
  });
  await Promise.all(
    protocolNames.map(async (protocol) => {
      const workerModel = protocolModels[protocol];
      const { galley, model } = await liedTo(
        ({ n, begin, frames, say }) => {
          if (n > 0) return say({ text: "Well then." });
          const stream = frames({ text: "Only half of" }).join("");
          begin().end(stream.slice(0, stream.indexOf("half of") + 10));
        },
        { workerModel },
      );
      await addProfile(galley, "writer", "You write.");
      const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Write." });
      const task = await awaitTask(galley.project, id, openHandover(galley.handover.options));
      expect([protocol, task]).toMatchObject([protocol, { status: "succeeded", result: "Well then." }]);
      expect(model.bodies).toHaveLength(2);
      expect(model.bodies[1]).not.toContain("half of");
    }),
  );
});
