import type { MessageEntry, ModelMessage, TokenAccount } from "@galley/engine";
import type { AssistantPart } from "@galley/engine/messages";
import { type PromptTsxMessage, loadPromptTsx, plainOf } from "./peer-modules.ts";

export type Fit = (entries: readonly MessageEntry[]) => Promise<ModelMessage[]>;

type MakeElement = (type: unknown, props: object, ...children: unknown[]) => unknown;

/** prompt-tsx with our counter, counts remembered by text; newer messages have a higher priority, and a call is in one Chunk with its results, as its samples do. */
export async function promptTsxFit(account: TokenAccount, systemPrompt: string, budget: number): Promise<Fit> {
  const tsx = await loadPromptTsx();
  const { vscpp: make, vscppf: fragment } = globalThis as unknown as { vscpp: MakeElement; vscppf: unknown };
  const known = new Map<string, number>();
  const count = (text = ""): number => {
    let tokens = known.get(text);
    if (tokens === undefined) known.set(text, (tokens = account.tokenizer.count(text)));
    return tokens;
  };
  const toolNames = new Map<string, string>();
  const tokenizer = {
    mode: tsx.OutputMode.Raw,
    tokenLength: ({ text }: { readonly text?: string }) => count(text),
    countMessageTokens: ({ content, toolCallId, toolCalls = [] }: PromptTsxMessage): number => {
      // As our account counts: a frame for the message, another for each call and result, and the tool's name.
      let tokens = toolCallId === undefined ? 4 : 12 + count(toolNames.get(toolCallId));
      for (const { text } of content) tokens += count(text);
      for (const { function: called } of toolCalls) tokens += 8 + count(called.name) + count(called.arguments);
      return tokens;
    },
  };
  const elementOf = ({ id, message }: MessageEntry, priority: number): unknown => {
    const { text, calls, answers } = plainOf(message);
    const props = { name: id, priority };
    if (answers !== undefined) return make(tsx.ToolMessage, { ...props, toolCallId: answers }, text);
    if (message.role === "user") return make(tsx.UserMessage, props, text);
    const toolCalls = calls.map(({ id, name, input }) => {
      toolNames.set(id, name);
      return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
    });
    return make(tsx.AssistantMessage, { ...props, toolCalls }, text);
  };
  const elementsOf = (entries: readonly MessageEntry[]): unknown[] => {
    const elements: unknown[] = [];
    for (let from = 0; from < entries.length;) {
      let to = from + 1;
      while (entries[to]?.message.role === "tool") to += 1;
      const group = entries.slice(from, to).map((entry, index) => elementOf(entry, from + index));
      elements.push(group.length > 1 ? make(tsx.Chunk, { priority: from }, ...group) : group[0]);
      from = to;
    }
    return elements;
  };
  class Prompt extends tsx.PromptElement {
    readonly entries: readonly MessageEntry[];

    constructor(props: { readonly entries: readonly MessageEntry[] }) {
      super(props);
      this.entries = props.entries;
    }

    render(): unknown {
      const system = make(tsx.SystemMessage, { priority: 1_000_000_000 }, systemPrompt);
      return make(fragment, {}, system, ...elementsOf(this.entries));
    }
  }
  return async (entries) => {
    const renderer = new tsx.PromptRenderer({ modelMaxPromptTokens: budget }, Prompt, { entries }, tokenizer);
    const { messages } = await renderer.render();
    return sentMessages(entries, messages);
  };
}

/** Back in our shape, with only those calls that are left. */
function sentMessages(entries: readonly MessageEntry[], left: readonly PromptTsxMessage[]): ModelMessage[] {
  // Its tool messages have no name.
  const sources = new Map(entries.map(({ id, message }) => [plainOf(message).answers ?? id, message]));
  return left.flatMap(({ name = "", toolCallId, toolCalls = [] }): ModelMessage[] => {
    const message = sources.get(toolCallId ?? name);
    if (message?.role !== "assistant" || typeof message.content === "string") return message ? [message] : [];
    const ids = new Set(toolCalls.map(({ id }) => id));
    const isLeft = (part: AssistantPart): boolean => part.type !== "tool-call" || ids.has(part.toolCallId);
    return [message.content.every(isLeft) ? message : { ...message, content: message.content.filter(isLeft) }];
  });
}
