import { type AssistantMessage, GalleyError, type ModelMessage } from "@galley/engine";
import { messageSchema } from "@galley/engine/schemas";

export interface TurnOutcome {
  readonly reply: AssistantMessage;
  readonly steps: readonly ModelMessage[];
}

/** What came back for a turn. What is no reply must not get into the log, where every later turn would stumble over it. */
export function checkOutcome(assistant: unknown, steps: unknown): TurnOutcome {
  const reply = typeof assistant === "string" ? { role: "assistant", content: assistant } : assistant;
  checkMessage(reply, ["assistant"], "assistant");
  if (!Array.isArray(steps)) throw noOutcome("is not a list of messages", "steps");
  const open = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const path = `steps[${index}]`;
    checkMessage(step, ["assistant", "tool"], path);
    const isCall = (step as ModelMessage).role === "assistant";
    if (isCall && open.size > 0) throw unpaired(open, path);
    for (const part of partsOf(step as ModelMessage)) {
      if (part.type === "tool-call" && !part.providerExecuted) open.add(part.toolCallId);
      if (part.type !== "tool-result" || isCall || open.delete(part.toolCallId)) continue;
      throw noOutcome(`has a result for ${JSON.stringify(part.toolCallId)}, which nobody called`, path);
    }
  }
  if (open.size > 0) throw unpaired(open, "steps");
  return { reply: reply as AssistantMessage, steps: steps as readonly ModelMessage[] };
}

function partsOf({ content }: ModelMessage): readonly Exclude<ModelMessage["content"], string>[number][] {
  return typeof content === "string" ? [] : content;
}

function checkMessage(value: unknown, roles: readonly ModelMessage["role"][], path: string): void {
  const { success, data, error } = messageSchema.safeParse(value);
  if (!success) throw noOutcome(`is not a message: ${error.issues[0]?.message ?? ""}`, path);
  if (!roles.includes(data.role)) throw noOutcome(`has the role ${data.role}, not ${roles.join(" or ")}`, path);
}

function unpaired(calls: ReadonlySet<string>, path: string): GalleyError {
  return noOutcome(`lacks the results of the calls ${[...calls].join(", ")}`, path);
}

function noOutcome(what: string, path: string): GalleyError {
  return new GalleyError("ContextInvalidInput", `${path} ${what}.`, {
    path,
    hint: "Give the reply as a text or as a message of the assistant, and as steps each call together with its result.",
  });
}
