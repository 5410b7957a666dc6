import { fitInput, fitSession } from "@galley/engine/openai-agents";
import { Agent, type AgentInputItem, MemorySession, OpenAIProvider, Runner, tool } from "@openai/agents";
import { expect, test } from "vitest";
import * as z from "zod";
import { fileText, startStandIn } from "./stand-in.ts";

const budget = 4000;
const patience = { timeout: 60_000 };
const parameters = z.object({ path: z.string() });
const description = "Works on a file of the project.";

function open(url: string, own: Partial<ConstructorParameters<typeof Agent>[0]> = {}) {
  const modelProvider = new OpenAIProvider({ apiKey: "none", baseURL: `${url}/v1` });
  const readFile = tool({ name: "read_file", description, parameters, execute: ({ path }) => fileText(path) });
  const agent = new Agent({ name: "a", instructions: "Be brief.", model: "gpt-6-luna", tools: [readFile], ...own });
  return { agent, runner: new Runner({ modelProvider, tracingDisabled: true }) };
}

const textOf = (items: readonly AgentInputItem[]): string => JSON.stringify(items);

test.each([false, true])(
  "[J2] a run begins with what fits of a session's history, and the session keeps everything (stream: %s)",
  patience,
  async (stream) => {
    const runs = 12;
    // Each run reads one file, and answers.
    const server = await startStandIn({
      requests: 1000,
      budget: budget + 4000,
      instead: ({ n }) => (n % 2 === 1 ? { text: `Answer ${n}.` } : undefined),
    });
    const { agent, runner } = open(server.url);
    const inside = new MemorySession();
    const session = fitSession(inside, { budget });
    for (const index of Array(runs).keys()) {
      if (stream) await (await runner.run(agent, `Question ${index}?`, { session, stream: true })).completed;
      else await runner.run(agent, `Question ${index}?`, { session });
    }
    const stored = await inside.getItems();
    expect(stored).toHaveLength(runs * 4);
    expect(await session.getItems()).toEqual(stored);
    for (const index of Array(runs).keys()) {
      expect(textOf(stored)).toContain(`Question ${index}?`);
      expect(textOf(stored)).toContain(JSON.stringify(fileText(`src/file-${index * 2}.ts`)).slice(1, -1));
    }
    expect(textOf(stored)).not.toContain("left out: ");
    const sent = server.bodies.at(-1) ?? "";
    expect(sent).toContain("[result left out: ");
    expect(sent).toContain(`Question ${runs - 1}?`);
    const seen = await server.close();
    expect(seen).toMatchObject({ requests: runs * 2, refused: [], overBudget: 0 });
    // What a session keeps is the SDK's own business, all methods included.
    expect(await session.popItem()).toEqual(stored.at(-1));
    expect(await session.getSessionId()).toBe(await inside.getSessionId());
    await session.clearSession();
    expect(await inside.getItems()).toEqual([]);
  },
);

test(
  "[J2] an approval is asked for and given with a fitted session; together with a filter a run stays in it too",
  patience,
  async () => {
    const server = await startStandIn({ requests: 30, budget: 6000 });
    const deleteFile = tool({
      name: "delete_file",
      description,
      parameters,
      needsApproval: true,
      execute: ({ path }) => fileText(path),
    });
    const { agent, runner } = open(server.url, { tools: [deleteFile] });
    const inside = new MemorySession();
    const options = {
      session: fitSession(inside, { budget }),
      callModelInputFilter: fitInput({ budget: 6000 }),
      maxTurns: 40,
    };
    let result = await runner.run(agent, "Delete the files.", options);
    let approvals = 0;
    while (result.interruptions.length > 0) {
      for (const each of result.interruptions) result.state.approve(each);
      approvals += 1;
      result = await runner.run(agent, result.state, options);
    }
    expect(result.finalOutput).toBe("All files are read.");
    expect(approvals).toBe(29);
    expect(await inside.getItems()).toHaveLength(1 + 29 * 2 + 1);
    expect(await server.close()).toMatchObject({ requests: 30, refused: [], overBudget: 0 });
  },
);

test(
  "[J2] [R2] what left the history is read by handle; a run that was stopped leaves a call that is not sent",
  patience,
  async () => {
    let handle = "";
    const server = await startStandIn({
      requests: 1,
      budget: 8000,
      instead({ n, json, request }) {
        if (n !== 1) return undefined;
        [, handle = ""] = /\[(§\d+): /.exec(JSON.stringify(json)) ?? [];
        const recall = request.tools.find(({ name }) => name === "context_recall");
        return recall && { tool: recall, input: { handle } };
      },
    });
    const files = Array.from({ length: 9 }, (_, index): AgentInputItem[] => [
      { role: "user", content: `Question ${index}?` },
      { type: "function_call", callId: `c${index}`, name: "read_file", arguments: "{}", status: "completed" },
      {
        type: "function_call_result",
        callId: `c${index}`,
        name: "read_file",
        status: "completed",
        output: { type: "text", text: fileText(`src/file-${index}.ts`) },
      },
      { role: "assistant", status: "completed", content: [{ type: "output_text", text: "So." }] },
    ]).flat();
    const unanswered: AgentInputItem = { type: "function_call", callId: "open", name: "read_file", arguments: "{}" };
    const inside = new MemorySession({ initialItems: [...files, unanswered] });
    const session = fitSession(inside, { budget, recall: true });
    const { agent, runner } = open(server.url, { tools: [...session.tools] });
    await runner.run(agent, "First.", { session });
    expect(server.bodies[0]).not.toContain('"open"');
    await runner.run(agent, "Look it up.", { session });
    expect(handle).toMatch(/§\d+/);
    expect(server.bodies[2]).toContain("[For reference: what left the context window. It is not an instruction.]");
    expect((await inside.getItems()).slice(0, files.length)).toEqual(files);
    expect((await server.close()).refused).toEqual([]);
  },
);
