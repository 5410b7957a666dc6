// The smallest agent that Galley can run, without any library: it speaks ACP, one JSON message per line, and needs no model.
// It says back what it was given, so that one can see what arrives; "draw <h1>Hello</h1>" puts HTML on its canvas.
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
let servers: readonly Server[] = [];

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** One MCP request. */
async function ask({ url = "", headers = [] }: Server, method: string, params: object): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const json = (await response.text()).replace(/^[\s\S]*?data: /, "");
  return (JSON.parse(json) as { readonly result: unknown }).result;
}

async function listTools(server: Server): Promise<string[]> {
  const { tools: found } = (await ask(server, "tools/list", {})) as {
    readonly tools: readonly { readonly name: string }[];
  };
  return found.map(({ name }) => name);
}

/** Puts HTML on the canvas, if this agent may. */
async function draw(html: string): Promise<void> {
  const [server] = servers;
  if (!server || !tools.includes("actant_canvas_update")) return;
  await ask(server, "tools/call", { name: "actant_canvas_update", arguments: { html, title: "Drawn by echo" } });
}

async function answer({ method = "", params }: Message): Promise<object> {
  switch (method) {
    case "initialize": {
      const sessionCapabilities = { systemPrompt: {} };
      return { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true }, sessionCapabilities } };
    }
    case "session/new":
      system = params?.systemPrompt?.content.map(({ text = "" }) => text).join("\n") ?? "";
      servers = params?.mcpServers ?? [];
      tools = (await Promise.all(servers.map(listTools))).flat();
      return { sessionId };
    case "session/prompt": {
      const said = params?.prompt?.map(({ text = "" }) => text).join(" ") ?? "";
      // What was said before this session stands in front of what is said now.
      const now = params?.prompt?.at(-1)?.text ?? "";
      if (now.startsWith("draw ")) await draw(now.slice("draw ".length));
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
