import { fitProcessor } from "@galley/engine/mastra";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import * as z from "zod";
import { type Task, fileText } from "../stand-in.ts";

const read_file = createTool({
  id: "read_file",
  description: "Reads a file of the project.",
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => fileText(path),
});

/** An agent that reads files until it knows enough, however many there are. */
export async function readFiles({ url, budget, requests }: Task) {
  const agent = new Agent({
    id: "reader",
    name: "reader",
    instructions: "You read files until you know where the money goes.",
    model: { id: "stand-in/gpt-6-luna", url: `${url}/v1`, apiKey: "none" },
    tools: { read_file },
    inputProcessors: [fitProcessor({ budget })], // ← the one line
  });
  const { text, steps } = await agent.generate("Find out where the money goes.", { maxSteps: requests });
  return { text, kept: steps.length * 2 - 1 };
}
