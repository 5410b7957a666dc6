import type { Galley, OpenGalleyOptions } from "../galley.ts";
import { dataFolder, galleyIn } from "./temp-galley.ts";

/** The key of the provider. */
export const key = "sk-sesame-0123456789";

/** A chunk of a stream of chat completions: what it adds, and how the reply ends. */
export type Chunk = readonly [delta: object, finish?: string];

/** A reply of words. */
export const say = (content: string): readonly Chunk[] => [[{ content }], [{}, "stop"]];

/** A reply with calls of tools, each with its arguments as text. */
export const call = (...made: readonly (readonly [id: string, name: string, text: string])[]): readonly Chunk[] => [
  ...made.map(([id, name, text], index): Chunk => {
    return [{ tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] }];
  }),
  [{}, "tool_calls"],
];

/** Galley in front of a server that gives these replies, one for each request; the last one again and again. */
export async function galleyThatHears(
  replies: readonly (readonly Chunk[])[],
  { data = dataFolder(), ...options }: OpenGalleyOptions = {},
): Promise<{ readonly galley: Galley; readonly sent: string[]; readonly data: string }> {
  const sent: string[] = [];
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const reply = replies[Math.min(sent.length, replies.length - 1)] ?? [];
    sent.push(typeof init?.body === "string" ? init.body : "");
    const lines = reply.map(([delta, finish_reason = null]) => {
      const chunk = { id: "c", created: 0, model: "m", choices: [{ index: 0, delta, finish_reason }] };
      return `data: ${JSON.stringify(chunk)}\n\n`;
    });
    return new Response(ReadableStream.from(lines).pipeThrough(new TextEncoderStream()), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  const providers = [{ name: "local", baseUrl: "http://local.invalid/v1", apiKey: key }];
  const config = { models: { default: "local/tiny-1", providers } };
  return { galley: await galleyIn(data, { config, fetch, ...options }), sent, data };
}
