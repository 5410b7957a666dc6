import { loadTokenizer, tokenAccount } from "@galley/engine";
import { importFrom } from "@galley/engine/wire";
import { judgeRequest } from "../packages/host/src/models/testing/judge-server.ts";
import { type Asked, startScriptedServer } from "../packages/host/src/models/testing/scripted-server.ts";

type Block = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

/** What Anthropic saw of a conversation whose model thinks before it calls. */
export interface Thought {
  readonly requests: readonly (readonly Message[])[];
  /** What it would have refused, and why. */
  readonly refused: readonly string[];
  readonly largest: number;
}

export const requests = 14;
export const model = "claude-sonnet-5-5";
export const answer = "All files are read.";

/**
 * A model over Anthropic's Messages that thinks in signed blocks, and once in a block that only Anthropic can read, calls two
 * tools at once, and answers in the end.
 */
export async function startThinker(): Promise<{ readonly url: string; close(): Promise<Thought> }> {
  const seen: Message[][] = [];
  const refused: string[] = [];
  const account = tokenAccount(await loadTokenizer(model));
  let largest = 0;
  const server = await startScriptedServer((asked) => {
    const { n, json } = asked;
    const messages = json["messages"] as Message[];
    seen.push(messages);
    // Fields that a framework sends beside what we know of: none of them is the plug's.
    const rulings = judgeRequest("anthropic", json).filter(({ why }) => !why.startsWith("Unrecognized key"));
    refused.push(...rulings.map(({ path, why }) => `request ${n}: ${path}: ${why}`));
    refused.push(...thoughtless(messages).map((why) => `request ${n}: ${why}`));
    const read = importFrom("anthropic", json);
    largest = Math.max(largest, account.countInput(read.messages, read.tools).tokens);
    say(asked, n >= requests - 1 ? [{ type: "text", text: answer }] : blocksOf(n));
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      return { requests: seen, refused: [...refused, ...server.unknown], largest };
    },
  };
}

/** Where thinking is on, Anthropic wants each turn with calls to begin with the thought behind it, as it was given. */
function thoughtless(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }, index) => {
    if (role !== "assistant" || typeof content === "string") return [];
    const call = content.find(({ type }) => type === "tool_use");
    if (!call) return [];
    const given = thoughtOf(Number(/\d+/.exec(String(call["id"]))?.[0]));
    const [first] = content;
    const isWhole = Object.entries(given).every(([key, value]) => first?.[key] === value);
    return isWhole ? [] : [`messages[${index}] does not begin with its thought: ${JSON.stringify(first)}`];
  });
}

function thoughtOf(n: number): Block {
  if (n === 2) return { type: "redacted_thinking", data: "sealed-2" };
  return { type: "thinking", thinking: `I think ${n}.`, signature: `signed-${n}` };
}

function blocksOf(n: number): Block[] {
  const call = (id: string, path: string): Block => ({ type: "tool_use", id, name: "read_file", input: { path } });
  return [thoughtOf(n), call(`toolu_${n}a`, `src/file-${n}.ts`), call(`toolu_${n}b`, `src/other-${n}.ts`)];
}

/** Sends blocks as a whole answer, or as the events of a stream. */
function say({ n, json, response, begin }: Asked, content: readonly Block[]): void {
  const stop_reason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  const usage = { input_tokens: 10, output_tokens: 5 };
  const head = { id: `msg_${n}`, type: "message", role: "assistant", model, stop_sequence: null, usage };
  if (json["stream"] !== true) {
    const whole = { ...head, content, stop_reason };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    return;
  }
  const events: Block[] = [
    { type: "message_start", message: { ...head, content: [], stop_reason: null } },
    ...content.flatMap(eventsOf),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  begin().end(events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

function eventsOf(block: Block, index: number): Block[] {
  const { type, text, thinking, signature, input } = block;
  // What comes in pieces begins empty.
  const empty = { text: { text: "" }, thinking: { thinking: "", signature: "" }, tool_use: { input: {} } };
  const deltas: Record<string, Block[]> = {
    text: [{ type: "text_delta", text }],
    thinking: [
      { type: "thinking_delta", thinking },
      { type: "signature_delta", signature },
    ],
    tool_use: [{ type: "input_json_delta", partial_json: JSON.stringify(input) }],
  };
  const started = { ...block, ...empty[type as keyof typeof empty] };
  return [
    { type: "content_block_start", index, content_block: started },
    ...(deltas[String(type)] ?? []).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}
