import type { ModelMessage } from "../../model/messages.ts";
import { exportFor } from "../../wire/export-for.ts";
import type { ListShape } from "../../wire/write-items.ts";

/** The list within a provider's request. */
export function listOf(shape: ListShape, request: object): object[] {
  const { messages, input, instructions } = request as {
    messages?: object[];
    input?: object[];
    instructions?: unknown;
  };
  const lead = shape === "ai-sdk" && Array.isArray(instructions) ? (instructions as object[]) : [];
  return [...lead, ...(messages ?? input ?? [])];
}

/** The lists of an agent that calls tools, request by request, as a provider would be sent them. */
export function agentLoop(shape: ListShape, requests: number): object[][] {
  const messages: ModelMessage[] = [{ role: "user", content: "Find out where the money goes." }];
  const lists: object[][] = [];
  let last: object[] = [];
  for (let step = 0; step < requests; step += 1) {
    const made = listOf(shape, exportFor(shape, { messages }).request);
    // A program appends to its list: what was there before stays the same object.
    last = made.map((message, index) => last[index] ?? message);
    lists.push([...last]);
    const ids = step % 3 === 0 ? [`a${step}`, `b${step}`] : [`a${step}`];
    messages.push({
      role: "assistant",
      content: [
        { type: "text", text: `Step ${step}: I look further.` },
        ...ids.map((toolCallId) => ({
          type: "tool-call" as const,
          toolCallId,
          toolName: "read_file",
          input: { path: `src/${step}.ts` },
        })),
      ],
    });
    for (const toolCallId of ids) {
      const value = `File ${step}: ${"one line of it. ".repeat(10 + ((step * 7) % 30))}`;
      messages.push({
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName: "read_file", output: { type: "text", value } }],
      });
    }
    if (step % 10 === 9) messages.push({ role: "user", content: `And what about ${step}?` });
  }
  return lists;
}
