/** A tool as a model is told of it; some clients put the tools of one server into a namespace. */
export interface LlmTool {
  readonly name: string;
  readonly namespace?: string;
}

/** What a request to a model says, whatever its protocol. */
export interface LlmRequest {
  readonly protocol: string;
  /** Everything that the model is told before the conversation. */
  readonly system: string;
  readonly tools: readonly LlmTool[];
  readonly toolResults: readonly string[];
  /** The texts of the user, in order. */
  readonly userTexts: readonly string[];
}

/** The answers of one conversation, and the calls in them, need ids of their own where there are several: `n` is in them. */
export type LlmAnswer = { readonly n?: number } & (
  | { readonly text: string; readonly inputTokens?: number }
  | { readonly tool: LlmTool; readonly input: Readonly<Record<string, unknown>> }
);

/** An answer that is none: an error of the provider, or the beginning of a text that never ends. */
export type LlmTrouble = { readonly status: number; readonly error: string } | { readonly stalledText: string };

type Json = Readonly<Record<string, unknown>>;

/** One event of a stream: its name (which some protocols leave out) and its data. */
type StreamEvent = readonly [name: string | undefined, data: Json | string];

export interface LlmProtocol {
  readonly name: string;
  readonly path: RegExp;
  isStreaming(body: Json, url: string): boolean;
  read(body: Json): Omit<LlmRequest, "protocol">;
  whole(answer: LlmAnswer): Json;
  stream(answer: LlmAnswer): readonly StreamEvent[];
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** All the text below a value, in order: contents are strings, parts or lists of parts. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  if (typeof value !== "object" || value === null) return "";
  const { text, content, output, parts } = value as Json;
  return textOf(text ?? content ?? output ?? parts ?? "");
}

const messageText = (messages: readonly Json[], ...roles: readonly string[]): readonly string[] =>
  messages.filter(({ role }) => roles.includes(String(role))).map(({ content, parts }) => textOf(content ?? parts));

const usageOf = (answer: LlmAnswer) => ({
  input_tokens: ("text" in answer && answer.inputTokens) || 10,
  output_tokens: 5,
});

const anthropic: LlmProtocol = {
  name: "anthropic",
  path: /^\/v1\/messages(?:\?|$)/,
  isStreaming: ({ stream }) => stream === true,
  read: ({ system, tools, messages }) => {
    const blocks = list(messages).flatMap(({ content }) => list(content));
    return {
      // Some models are told things in between as well.
      system: [textOf(system), ...messageText(list(messages), "system")].join("\n"),
      tools: list(tools).map(({ name }) => ({ name: String(name) })),
      toolResults: blocks.filter(({ type }) => type === "tool_result").map(({ content }) => textOf(content)),
      userTexts: messageText(list(messages), "user"),
    };
  },
  whole: (answer) => ({
    ...anthropicHead(answer),
    content: ["text" in answer ? { type: "text", text: answer.text } : anthropicCall(answer)],
    stop_reason: "text" in answer ? "end_turn" : "tool_use",
  }),
  stream: (answer) => {
    const events: Json[] = [
      { type: "message_start", message: { ...anthropicHead(answer), content: [] } },
      ...("text" in answer
        ? [
            { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
            { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: answer.text } },
          ]
        : [
            { type: "content_block_start", index: 0, content_block: { ...anthropicCall(answer), input: {} } },
            {
              type: "content_block_delta",
              index: 0,
              delta: { type: "input_json_delta", partial_json: JSON.stringify(answer.input) },
            },
          ]),
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "text" in answer ? "end_turn" : "tool_use", stop_sequence: null },
        usage: usageOf(answer),
      },
      { type: "message_stop" },
    ];
    return events.map((event) => [String(event["type"]), event]);
  },
};

const anthropicHead = (answer: LlmAnswer): Json => ({
  id: `msg_${answer.n ?? 1}`,
  type: "message",
  role: "assistant",
  model: "local-1",
  stop_reason: null,
  stop_sequence: null,
  usage: usageOf(answer),
});

const anthropicCall = ({ tool, input, n = 1 }: Extract<LlmAnswer, { tool: LlmTool }>): Json => ({
  type: "tool_use",
  id: `toolu_${n}`,
  name: tool.name,
  input,
});

const chat: LlmProtocol = {
  name: "openai-chat",
  path: /\/chat\/completions(?:\?|$)/,
  isStreaming: ({ stream }) => stream === true,
  read: ({ tools, messages }) => ({
    system: messageText(list(messages), "system", "developer").join("\n"),
    tools: list(tools).map((tool) => ({ name: String((tool["function"] as Json)["name"]) })),
    toolResults: messageText(list(messages), "tool"),
    userTexts: messageText(list(messages), "user"),
  }),
  whole: (answer) => ({
    ...chatHead(answer),
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: null, ...chatDelta(answer) }, ...chatEnd(answer) }],
    usage: chatUsageOf(answer),
  }),
  stream: (answer) => {
    const chunk = (delta: Json, end: Json = { finish_reason: null }): StreamEvent => [
      undefined,
      { ...chatHead(answer), object: "chat.completion.chunk", choices: [{ index: 0, delta, ...end }] },
    ];
    return [
      chunk({ role: "assistant", content: "" }),
      chunk(chatDelta(answer)),
      chunk({}, chatEnd(answer)),
      [undefined, { ...chatHead(answer), object: "chat.completion.chunk", choices: [], usage: chatUsageOf(answer) }],
      [undefined, "[DONE]"],
    ];
  },
};

const chatHead = (answer: LlmAnswer): Json => ({
  id: `chatcmpl-${answer.n ?? 1}`,
  created: 0,
  model: "local-1",
});
const chatUsageOf = (answer: LlmAnswer): Json => {
  const prompt = ("text" in answer && answer.inputTokens) || 10;
  return { prompt_tokens: prompt, completion_tokens: 5, total_tokens: prompt + 5 };
};

const chatDelta = (answer: LlmAnswer): Json =>
  "text" in answer
    ? { content: answer.text }
    : {
        tool_calls: [
          {
            index: 0,
            id: `call_${answer.n ?? 1}`,
            type: "function",
            function: { name: answer.tool.name, arguments: JSON.stringify(answer.input) },
          },
        ],
      };

const chatEnd = (answer: LlmAnswer): Json => ({ finish_reason: "text" in answer ? "stop" : "tool_calls" });

const responses: LlmProtocol = {
  name: "openai-responses",
  path: /\/responses(?:\?|$)/,
  isStreaming: ({ stream }) => stream === true,
  read: ({ instructions, tools, input }) => ({
    system: [textOf(instructions), ...messageText(list(input), "system", "developer")].join("\n"),
    tools: list(tools).flatMap(responsesTools),
    toolResults: list(input)
      .filter(({ type }) => type === "function_call_output")
      .map(({ output }) => textOf(output)),
    userTexts: messageText(list(input), "user"),
  }),
  whole: (answer) => responsesEnd(answer),
  stream: (answer) => {
    const item = responsesItem(answer);
    const events: Json[] = [
      { type: "response.created", response: { ...responsesEnd(answer), status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
      ...("text" in answer
        ? [
            {
              type: "response.output_text.delta",
              item_id: "item_1",
              output_index: 0,
              content_index: 0,
              delta: answer.text,
            },
          ]
        : []),
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: responsesEnd(answer) },
    ];
    return events.map((event, index) => [String(event["type"]), { ...event, sequence_number: index }]);
  },
};

function responsesTools({ type, name, tools }: Json): readonly LlmTool[] {
  if (typeof name !== "string") return [];
  if (type !== "namespace") return [{ name }];
  return list(tools).map((tool) => ({ name: String(tool["name"]), namespace: name }));
}

const responsesItem = (answer: LlmAnswer): Json =>
  "text" in answer
    ? {
        type: "message",
        id: "item_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: answer.text, annotations: [] }],
      }
    : {
        type: "function_call",
        id: `fc_${answer.n ?? 1}`,
        call_id: `call_${answer.n ?? 1}`,
        status: "completed",
        ...answer.tool,
        arguments: JSON.stringify(answer.input),
      };

const responsesEnd = (answer: LlmAnswer): Json => ({
  id: "resp_1",
  object: "response",
  created_at: 0,
  model: "local-1",
  status: "completed",
  output: [responsesItem(answer)],
  usage: {
    ...usageOf(answer),
    total_tokens: usageOf(answer).input_tokens + 5,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
});

const gemini: LlmProtocol = {
  name: "gemini",
  path: /:(?:streamG|g)enerateContent/,
  isStreaming: (_body, url) => url.includes(":streamGenerateContent"),
  read: ({ systemInstruction, tools, contents }) => {
    const parts = list(contents).flatMap((content) => list(content["parts"]));
    return {
      system: textOf(systemInstruction),
      tools: list(tools).flatMap((tool) =>
        list(tool["functionDeclarations"]).map(({ name }) => ({ name: String(name) })),
      ),
      toolResults: parts.flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [JSON.stringify((functionResponse as Json)["response"])],
      ),
      userTexts: messageText(list(contents), "user"),
    };
  },
  whole: (answer) => geminiChunk(answer),
  stream: (answer) => [[undefined, geminiChunk(answer)]],
};

const geminiChunk = (answer: LlmAnswer): Json => ({
  candidates: [
    {
      index: 0,
      finishReason: "STOP",
      content: {
        role: "model",
        parts: [
          "text" in answer ? { text: answer.text } : { functionCall: { name: answer.tool.name, args: answer.input } },
        ],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
});

export const llmProtocols: readonly LlmProtocol[] = [anthropic, chat, responses, gemini];
