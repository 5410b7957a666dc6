import type { AssistantMessage, ModelMessage } from "@galley/engine";
import type { AssistantPart } from "@galley/engine/messages";

/**
 * A reply whose calls have ids that no earlier call of the run has: some servers count from one in every reply, and results
 * and delegations are found again by the id of their call. The steps before a switch of the context are not among the earlier
 * ones any more; the number of switches in the id tells their calls apart.
 */
export function withUniqueCalls(
  reply: AssistantMessage,
  earlier: readonly ModelMessage[],
  switches = 0,
): AssistantMessage {
  if (typeof reply.content === "string") return reply;
  const used = new Set(
    earlier.flatMap(({ content }) => (typeof content === "string" ? [] : content.flatMap(callIdOf))),
  );
  const content = reply.content.map((part): AssistantPart => {
    if (part.type !== "tool-call" || part.providerExecuted) return part;
    // Some servers give none, and some give what is no id but a text.
    const own = part.toolCallId.slice(0, maxIdLength) || "call";
    const given = switches === 0 ? own : `${own}-s${switches}`;
    let toolCallId = given;
    for (let count = 2; used.has(toolCallId); count += 1) toolCallId = `${given}-${count}`;
    used.add(toolCallId);
    return toolCallId === part.toolCallId ? part : { ...part, toolCallId };
  });
  return content.every((part, index) => part === reply.content[index]) ? reply : { ...reply, content };
}

/** In characters; the ids of all providers are shorter. */
const maxIdLength = 128;

function callIdOf(part: Exclude<ModelMessage["content"], string>[number]): readonly string[] {
  return part.type === "tool-call" ? [part.toolCallId] : [];
}
