import { fitInput } from "@galley/engine/openai-agents";
import { Agent, MemorySession, OpenAIProvider, Runner, tool } from "@openai/agents";
import * as z from "zod";
import { type Task, fileText } from "../stand-in.ts";

const readFile = tool({
  name: "read_file",
  description: "Reads a file of the project.",
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => fileText(path),
});

/** An agent that reads files until it knows enough, however many there are. */
export async function readFiles({ url, budget, requests }: Task) {
  const agent = new Agent({
    name: "reader",
    instructions: "You read files until you know where the money goes.",
    model: "gpt-6-luna",
    tools: [readFile],
  });
  const session = new MemorySession();
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ apiKey: "none", baseURL: `${url}/v1` }),
    tracingDisabled: true,
  });
  const { finalOutput } = await runner.run(agent, "Find out where the money goes.", {
    session,
    maxTurns: requests,
    callModelInputFilter: fitInput({ budget }), // ← the one line
  });
  return { text: finalOutput, kept: (await session.getItems()).length - 1 };
}
