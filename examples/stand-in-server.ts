// A stand-in for a provider, so that the examples run without a key: it answers chat completions and Anthropic's
// messages with what it was sent. With a real key in the environment the examples do not start it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

export interface StandIn {
  /** Without a path: `http://127.0.0.1:1234`. */
  readonly url: string;
  close(): void;
}

export async function standInServer(): Promise<StandIn> {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { messages } = body as { readonly messages: readonly Message[] };
      const text = `You said “${lastOf(messages)}”, and I was sent ${messages.length} messages.`;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(request.url?.endsWith("/messages") ? anthropic(text) : openAi(text)));
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function lastOf(messages: readonly Message[]): string {
  const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join(" ");
}

function openAi(content: string): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 0,
    model: "stand-in",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function anthropic(text: string): object {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "stand-in", stop_sequence: null, usage };
  return { ...head, content: [{ type: "text", text }], stop_reason: "end_turn" };
}
