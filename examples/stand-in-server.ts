// A stand-in for a provider, so that the examples run without a key: it answers chat completions and Anthropic's
// messages with what it was sent, calls the tool that it is asked to call ("call chat_context_list"), and refuses what is
// longer than its window, in the words of the provider whose protocol it speaks.
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

/** In characters, of a request. */
const maxLength = 30_000;

/** More than the stand-in reads at once, for those who want to see it refuse. */
export const longHistory = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: `${index}: ${"the harbour, the market and the tower. ".repeat(25)}`,
}));

export async function standInServer(): Promise<StandIn> {
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const { messages } = body as { readonly messages: readonly Message[] };
      const said = messages.filter(({ role }) => role === "user").map(textOf);
      const text = `You said “${said.findLast((one) => one !== "")}”, and I was sent ${messages.length} messages.`;
      const tool = messages.at(-1)?.role === "user" ? /call (\w+)/.exec(said.at(-1) ?? "")?.[1] : undefined;
      const isAnthropic = request.url?.endsWith("/messages") ?? false;
      const { length } = JSON.stringify(body);
      const answer = isAnthropic ? anthropic(text, tool) : openAi(text, tool);
      response.statusCode = length > maxLength ? 400 : 200;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(length > maxLength ? tooLong(length, isAnthropic) : answer));
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

function tooLong(length: number, isAnthropic: boolean): object {
  const [asked, limit] = [length, maxLength].map((characters) => Math.ceil(characters / 4));
  if (isAnthropic) {
    const message = `prompt is too long: ${asked} tokens > ${limit} maximum`;
    return { type: "error", error: { type: "invalid_request_error", message } };
  }
  const message = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${asked} tokens.`;
  return { error: { message, type: "invalid_request_error", param: "messages", code: "context_length_exceeded" } };
}

function textOf({ content }: Message): string {
  return typeof content === "string"
    ? content
    : content
        .map(({ text = "" }) => text)
        .join(" ")
        .trim();
}

function openAi(content: string, name?: string): object {
  const call = { id: "call_1", type: "function", function: { name, arguments: "{}" } };
  const message = name === undefined ? { content } : { content: null, tool_calls: [call] };
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 0,
    model: "stand-in",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: name ? "tool_calls" : "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function anthropic(text: string, name?: string): object {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const head = { id: "msg_1", type: "message", role: "assistant", model: "stand-in", stop_sequence: null, usage };
  if (name === undefined) return { ...head, content: [{ type: "text", text }], stop_reason: "end_turn" };
  return { ...head, content: [{ type: "tool_use", id: "call_1", name, input: {} }], stop_reason: "tool_use" };
}
