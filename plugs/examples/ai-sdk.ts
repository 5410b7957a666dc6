import { createOpenAI } from "@ai-sdk/openai";
import { fitStep } from "@galley/engine/ai-sdk";
import { isStepCount, streamText, tool } from "ai";
import * as z from "zod";
import { type Task, fileText } from "../stand-in.ts";

/** An agent that reads files until it knows enough, however many there are. */
export async function readFiles({ url, budget, requests }: Task) {
  const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" });
  const tools = {
    read_file: tool({
      description: "Reads a file of the project.",
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }) => fileText(path),
    }),
  };
  const result = streamText({
    model: provider("gpt-6-luna"),
    instructions: "You read files until you know where the money goes.",
    prompt: "Find out where the money goes.",
    tools,
    stopWhen: isStepCount(requests),
    prepareStep: fitStep({ budget, tools }), // ← the one line
  });
  return { text: await result.text, kept: (await result.responseMessages).length };
}
