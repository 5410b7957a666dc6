import { fitMiddleware } from "@galley/engine/langchain";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, tool } from "langchain";
import * as z from "zod";
import { type Task, fileText } from "../stand-in.ts";

const readFile = tool(({ path }: { path: string }) => fileText(path), {
  name: "read_file",
  description: "Reads a file of the project.",
  schema: z.object({ path: z.string() }),
});

/** An agent that reads files until it knows enough, however many there are. */
export async function readFiles({ url, budget, requests }: Task) {
  const agent = createAgent({
    model: new ChatOpenAI({ model: "gpt-6-luna", apiKey: "none", configuration: { baseURL: `${url}/v1` } }),
    tools: [readFile],
    systemPrompt: "You read files until you know where the money goes.",
    middleware: [fitMiddleware({ budget })], // ← the one line
  });
  const { messages } = await agent.invoke(
    { messages: [{ role: "user", content: "Find out where the money goes." }] },
    { recursionLimit: requests * 5 },
  );
  return { text: messages.at(-1)?.text, kept: messages.length - 1 };
}
