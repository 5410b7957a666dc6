import type { ModelMessage } from "../../model/messages.ts";
import type { CompactionRequest } from "../compactor/compactor.ts";

/** Near enough to what tokenizers give: a token for each Chinese character, and for four of any other. */
export function countTokens(text: string): number {
  const wide = text.match(/[\u2e80-\uffff]/gu)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
}

export function requestFor(
  messages: readonly ModelMessage[],
  { maxTokens = 1000, previousSummary }: Partial<Pick<CompactionRequest, "maxTokens" | "previousSummary">> = {},
): CompactionRequest {
  return { messages, maxTokens, countTokens, ...(previousSummary === undefined ? {} : { previousSummary }) };
}

export const user = (content: string): ModelMessage => ({ role: "user", content });
export const assistant = (content: string): ModelMessage => ({ role: "assistant", content });

export function toolCall(toolName: string, input: unknown, toolCallId = "call_0"): ModelMessage {
  return { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] };
}

export function toolResult(toolName: string, value: string, toolCallId = "call_0"): ModelMessage {
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }] };
}

const source = [
  "export const retryPolicy = { strategy: backoff };",
  ...Array.from({ length: 60 }, (_, line) => `// filler ${"abcdefghij".charAt(line % 10)}`),
].join("\n");

/** A short piece of work in which five things were said that must not be lost. */
export const conversation: readonly ModelMessage[] = [
  user("We are building the billing service for Nordwind. The project owner is Maria Keller."),
  assistant("Understood, I will have a look at the service first."),
  user("We decided to use PostgreSQL and not MongoDB. Invoices must be kept for 3650 days."),
  toolCall("read_file", { path: "services/billing/src/retry-policy.ts" }),
  toolResult("read_file", source),
  assistant("The retry policy stands in services/billing/src/retry-policy.ts and uses a backoff."),
  user("Fine, thanks."),
  assistant("You are welcome."),
  user("Nice weather today."),
  assistant("Yes, very nice."),
  assistant("Shall refunds need a second approval?"),
];

/** What a summary of the conversation has to mention, by what it is. */
export const keyFacts = {
  decision: "PostgreSQL",
  number: "3650",
  path: "services/billing/src/retry-policy.ts",
  name: "Maria Keller",
  question: "second approval",
} as const;

export const earlier = {
  summary: "The team agreed on the code name Bluefin.\nThe budget was 48000 EUR.",
  facts: ["Bluefin", "48000"],
} as const;

export const chinese = {
  messages: [
    user("我们在做一个计费系统。负责人是王小明。"),
    assistant("好的，我先看看代码。"),
    user("我们决定使用开源数据库，发票必须保存3650天。今天天气不错。"),
    assistant("退款需要二次审批吗？"),
  ],
  facts: ["王小明", "决定使用开源数据库", "3650天", "二次审批"],
} as const;
