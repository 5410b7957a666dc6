import fc from "fast-check";
import type { MessageEntry } from "../entries.ts";
import type { AssistantPart, ModelMessage, ToolPart } from "../messages.ts";

/** Browsers have no process. */
const { process: host } = globalThis as { process?: { env: Record<string, string | undefined> } };

/** In a browser the first of the cases are enough: all of them have been tried in Node. */
const usual = "document" in globalThis ? 40 : 300;

/** Laws run this often in `npm test`; `npm run test:deep` runs them more often. */
export const runs = { numRuns: Number(host?.env["GALLEY_LAW_RUNS"] ?? usual) };

export function entriesOf(messages: readonly ModelMessage[]): MessageEntry[] {
  return messages.map((message, index) => ({
    id: `h${index + 1}`,
    ts: "2026-01-01T00:00:00Z",
    type: "message",
    message,
  }));
}

export function textOf(message: ModelMessage): string {
  return typeof message.content === "string" ? message.content : JSON.stringify(message.content);
}

const word = fc.string({ unit: "binary", maxLength: 12 });
// Few ids, so that they are reused within and across turns, as they are in the wild.
const callId = fc.constantFrom("call_0", "call_1", "call_2");

const plain: fc.Arbitrary<ModelMessage[]> = fc
  .record({ role: fc.constantFrom("user" as const, "assistant" as const, "system" as const), content: word })
  .map((message) => [message]);

/** An assistant message with parallel calls, then their results in one or several tool messages. */
const callsWithResults: fc.Arbitrary<ModelMessage[]> = fc
  .record({
    ids: fc.uniqueArray(callId, { minLength: 1 }),
    text: word,
    isSplit: fc.boolean(),
    isReasoned: fc.boolean(),
  })
  .map(({ ids, text, isSplit, isReasoned }) => {
    const calls: AssistantPart[] = ids.map((id) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: "look",
      input: { text },
    }));
    const results: ToolPart[] = ids.map((id) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: "look",
      output: { type: "text", value: text },
    }));
    const reasoning: AssistantPart[] = isReasoned ? [{ type: "reasoning", text }] : [];
    const answers: ModelMessage[] = isSplit
      ? results.map((result) => ({ role: "tool", content: [result] }))
      : [{ role: "tool", content: results }];
    return [{ role: "assistant", content: [...reasoning, ...calls] }, ...answers];
  });

/** Histories made of whole groups, each group as an array. */
export const groupedHistory: fc.Arbitrary<ModelMessage[][]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: plain }, { weight: 2, arbitrary: callsWithResults }),
  { maxLength: 12 },
);
