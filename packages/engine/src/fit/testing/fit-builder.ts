import { entriesOf } from "../../model/testing/history.ts";
import type { ModelMessage } from "../../model/messages.ts";
import {
  type ContextBuildInput,
  type ContextBuildResult,
  ContextManager,
  type ContextManagerInit,
} from "../context-manager.ts";
import { quarter } from "./sessions.ts";

export const user = (content: string): ModelMessage => ({ role: "user", content });
export const say = (content: string): ModelMessage => ({ role: "assistant", content });
export const call = (id: string): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: "read", input: {} }],
});
export const result = (id: string, value: string): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: id, toolName: "read", output: { type: "text", value } }],
});
export const words = (count: number, word = "word"): string => `${word} `.repeat(count).trim();

export function manager(maxInputTokens: number, more: Partial<ContextManagerInit> = {}): ContextManager {
  const config = { maxInputTokens, ...more.config };
  return new ContextManager({ tokenizer: quarter, ...more, config });
}
export const build = (
  messages: ModelMessage[],
  maxInputTokens = 10_000,
  more: Partial<ContextManagerInit> = {},
  input: Partial<ContextBuildInput> = {},
): Promise<ContextBuildResult> =>
  manager(maxInputTokens, more).buildContext({ sessionEntries: entriesOf(messages), ...input });
export const fates = ({ build: { ledger } }: ContextBuildResult): string[] =>
  ledger.filter((row) => row.kind === "message").map((row) => `${row.id} ${row.fate}`);
