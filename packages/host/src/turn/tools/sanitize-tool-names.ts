import type { AssistantMessage } from "@galley/engine";
import type { AssistantPart } from "@galley/engine/messages";

/** What every provider takes for the name of a tool. */
const nameRule = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u;

/**
 * A reply whose calls name tools in a way that providers take: a model may call what no tool is called, with blanks and
 * control characters, and the request that tells it so would be refused. No such name becomes that of a tool.
 */
export function withNamedCalls(
  reply: AssistantMessage,
  offered: readonly { readonly name: string }[],
): AssistantMessage {
  if (typeof reply.content === "string") return reply;
  const names = new Set(offered.map(({ name }) => name));
  const content = reply.content.map((part): AssistantPart => {
    if (part.type !== "tool-call" || part.providerExecuted) return part;
    const { toolName } = part;
    if (names.has(toolName) || nameRule.test(toolName)) return part;
    let name = toolName.slice(0, 48).replaceAll(/[^a-zA-Z0-9_-]/gu, "_");
    if (!nameRule.test(name)) name = `_${name}`;
    while (names.has(name)) name += "_";
    return { ...part, toolName: name };
  });
  return content.every((part, index) => part === reply.content[index]) ? reply : { ...reply, content };
}
