import type { Asked } from "../packages/host/src/models/testing/scripted-server.ts";
import { startScriptedServer } from "../packages/host/src/models/testing/scripted-server.ts";
import { judgeRequest } from "../packages/host/src/models/testing/judge-server.ts";
import { loadTokenizer, tokenAccount } from "@galley/engine";
import { importFrom } from "@galley/engine/wire";

type Item = Readonly<Record<string, unknown>>;

/** What a provider saw of a conversation in which everything occurs that frameworks can send. */
export interface Seen {
  readonly inputs: readonly (readonly Item[])[];
  /** What it would have refused, and why. */
  readonly refused: readonly string[];
  readonly largest: number;
}

export const requests = 14;
export const answer = { total: 42 };
export const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/**
 * A model over OpenAI's Responses that thinks in signed parts, calls two tools at once, searches the web by itself, calls a
 * tool that a person has to approve, and answers in JSON.
 */
export async function startFullConversation(): Promise<{ readonly url: string; close(): Promise<Seen> }> {
  const inputs: Item[][] = [];
  const refused: string[] = [];
  const account = tokenAccount(await loadTokenizer("o200k_base"));
  let largest = 0;
  const server = await startScriptedServer((asked) => {
    const { n, json } = asked;
    const input = json["input"] as Item[];
    inputs.push(input);
    refused.push(...judge(json).map((why) => `request ${n}: ${why}`));
    const { messages, tools } = importFrom("openai-responses", json);
    largest = Math.max(largest, account.countInput(messages, tools).tokens);
    say(asked, n >= requests - 1 ? [said(JSON.stringify(answer))] : itemsOf(n));
  });
  return {
    url: `${server.url}/v1`,
    async close() {
      await server.close();
      return { inputs, refused: [...refused, ...server.unknown], largest };
    },
  };
}

/** The judge knows what programs write; what only OpenAI's own servers write is left out before. */
function judge(json: Asked["json"]): string[] {
  const own = (type: unknown): boolean => type === "web_search_call" || type === "web_search";
  const without = (list: unknown): Item[] => ((list ?? []) as Item[]).filter(({ type }) => !own(type));
  const plain = { ...json, input: without(json["input"]), tools: without(json["tools"]) };
  const rulings = judgeRequest("openai-responses", plain).filter(({ why }) => !why.startsWith("Unrecognized key"));
  const unsigned = plain.input.filter(({ type, encrypted_content: signed }) => type === "reasoning" && !signed);
  return [...rulings.map(({ path, why }) => `${path}: ${why}`), ...unsigned.map(() => "reasoning without signature")];
}

function itemsOf(n: number): Item[] {
  const thought = {
    type: "reasoning",
    id: `rs_${n}`,
    summary: [{ type: "summary_text", text: `I think ${n}.` }],
    encrypted_content: `signed-${n}`,
  };
  if (n === 1) return [thought, searched, call("read_file", `${n}`, { path: "src/a.ts" })];
  if (n === 2) return [thought, call("delete_file", `${n}`, { path: "src/b.ts" })];
  return [
    thought,
    call("read_file", `${n}a`, { path: `src/file-${n}.ts` }),
    call("read_file", `${n}b`, { path: `src/other-${n}.ts` }),
  ];
}

const searched = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "money", queries: ["money"], sources: [] },
};

function call(name: string, id: string, input: object): Item {
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name,
    arguments: JSON.stringify(input),
    status: "completed",
  };
}

function said(text: string): Item {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
}

/** Sends items as a whole answer, or as the events of a stream. */
function say({ n, json, response, begin }: Asked, output: readonly Item[]): void {
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const head = { id: `resp_${n}`, object: "response", created_at: 0, model: "gpt-6-luna", usage };
  const whole = { ...head, status: "completed", output, error: null, incomplete_details: null };
  if (json["stream"] !== true) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    return;
  }
  const events = [
    { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
    ...output.flatMap((item, output_index) => eventsOf(item, output_index)),
    { type: "response.completed", response: whole },
  ];
  const lines = events.map((event, sequence_number) => `data: ${JSON.stringify({ ...event, sequence_number })}\n\n`);
  begin().end(lines.join(""));
}

function eventsOf(item: Item, output_index: number): Item[] {
  const place = { item_id: item["id"], output_index };
  const deltas: Item[] = [];
  if (item["type"] === "message") {
    const [part] = item["content"] as Item[];
    deltas.push({
      type: "response.output_text.delta",
      ...place,
      content_index: 0,
      delta: part?.["text"],
      logprobs: [],
    });
  }
  if (item["type"] === "function_call")
    deltas.push({ type: "response.function_call_arguments.delta", ...place, delta: item["arguments"] });
  if (item["type"] === "reasoning") {
    const [part] = item["summary"] as Item[];
    deltas.push({ type: "response.reasoning_summary_part.added", ...place, summary_index: 0, part });
    deltas.push({ type: "response.reasoning_summary_text.delta", ...place, summary_index: 0, delta: part?.["text"] });
    deltas.push({ type: "response.reasoning_summary_part.done", ...place, summary_index: 0, part });
  }
  // What comes in pieces begins empty.
  const empty = { message: { content: [] }, function_call: { arguments: "" }, reasoning: { summary: [] } };
  const started = { ...item, status: "in_progress", ...empty[item["type"] as keyof typeof empty] };
  return [
    { type: "response.output_item.added", output_index, item: started },
    ...deltas,
    { type: "response.output_item.done", output_index, item },
  ];
}
