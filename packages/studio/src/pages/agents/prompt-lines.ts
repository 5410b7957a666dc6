/** One line of a talk with an agent: what was said, thought or done. */
export interface PromptLine {
  readonly kind: string;
  readonly text: string;
}

/** The fields of an ACP update that a line needs; agents send many more. */
interface Update {
  readonly type?: string;
  readonly content?: { readonly type?: string; readonly text?: string } | readonly unknown[];
  readonly title?: string;
  readonly status?: string;
}

/** The lines after an update. Pieces of one text become one line. */
export function takeUpdate(lines: readonly PromptLine[], event: object): readonly PromptLine[] {
  const { type, content, title, status } = event as Update;
  const piece = content && "text" in content ? (content.text ?? "") : "";
  if (type === "agent_message_chunk") return join(lines, "agent", piece);
  if (type === "agent_thought_chunk") return join(lines, "thought", piece);
  if (!type?.startsWith("tool_call") || title === undefined) return lines;
  return [...lines, { kind: "tool", text: [title, status].filter(Boolean).join(": ") }];
}

function join(lines: readonly PromptLine[], kind: string, text: string): readonly PromptLine[] {
  const last = lines.at(-1);
  if (text === "") return lines;
  if (last?.kind !== kind) return [...lines, { kind, text }];
  return [...lines.slice(0, -1), { kind, text: last.text + text }];
}
