// The smallest agent that Galley can run, without any library: it speaks ACP, one JSON message per line, and needs no model.
// It says back what it was given, so that one can see what arrives.
import { createInterface } from "node:readline";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly prompt?: readonly { readonly text?: string }[];
    readonly systemPrompt?: { readonly content: readonly { readonly text?: string }[] };
    readonly mcpServers?: readonly Server[];
  };
}

interface Server {
  readonly name: string;
  readonly url?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

const sessionId = "echo-1";
let system = "";
let tools: readonly string[] = [];

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** The names of a server's tools, by one MCP request. */
async function listTools({ url = "", headers = [] }: Server): Promise<string[]> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  const json = (await response.text()).replace(/^[\s\S]*?data: /, "");
  const { result } = JSON.parse(json) as { readonly result: { readonly tools: readonly { readonly name: string }[] } };
  return result.tools.map(({ name }) => name);
}

async function answer({ method = "", params }: Message): Promise<object> {
  switch (method) {
    case "initialize": {
      const sessionCapabilities = { systemPrompt: {} };
      return { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true }, sessionCapabilities } };
    }
    case "session/new":
      system = params?.systemPrompt?.content.map(({ text = "" }) => text).join("\n") ?? "";
      tools = (await Promise.all((params?.mcpServers ?? []).map(listTools))).flat();
      return { sessionId };
    case "session/prompt": {
      const said = params?.prompt?.map(({ text = "" }) => text).join(" ") ?? "";
      const headings = system.split("\n").filter((line) => line.startsWith("## "));
      const text = `You said: ${said}\nI was told: ${headings.join(", ")}\nI can call: ${tools.join(", ")}`;
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
      send({ method: "session/update", params: { sessionId, update } });
      return { stopReason: "end_turn" };
    }
    default:
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  if (message.id !== undefined && message.method !== undefined) {
    send({ id: message.id, result: await answer(message) });
  }
}
