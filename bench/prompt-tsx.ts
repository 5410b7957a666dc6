import type { AssistantPart, MessageEntry, ModelMessage, TokenAccount } from "@galley/engine";
import { type PromptTsxMessage, loadPromptTsx, plainOf } from "./peer-modules.ts";

export type Fit = (entries: readonly MessageEntry[]) => Promise<ModelMessage[]>;

type MakeElement = (type: unknown, props: object, ...children: unknown[]) => unknown;

/** prompt-tsx with our counter, counts remembered by text; newer messages have a higher priority, and a call keeps with its result. */
export async function promptTsxFit(account: TokenAccount, systemPrompt: string, budget: number): Promise<Fit> {
  const tsx = await loadPromptTsx();
  const { vscpp: make, vscppf: fragment } = globalThis as unknown as { vscpp: MakeElement; vscppf: unknown };
  const known = new Map<string, number>();
  const count = (text = ""): number => {
    let tokens = known.get(text);
    if (tokens === undefined) known.set(text, (tokens = account.tokenizer.count(text)));
    return tokens;
  };
  const tokenizer = {
    mode: tsx.OutputMode.Raw,
    tokenLength: ({ text }: { readonly text?: string }) => count(text),
    countMessageTokens: ({ content, toolCalls = [] }: PromptTsxMessage): number => {
      let tokens = 4;
      for (const { text } of content) tokens += count(text);
      for (const call of toolCalls) tokens += 8 + count(call.function.arguments);
      return tokens;
    },
  };
  const elementsOf = (entries: readonly MessageEntry[]): unknown[] => {
    const keeping = new Map<string, unknown>();
    return entries.map(({ id, message }, priority) => {
      const { text, calls, answers } = plainOf(message);
      const props = { name: id, priority };
      if (answers !== undefined) {
        const element = make(tsx.ToolMessage, { ...props, toolCallId: answers }, text);
        const keepWith = keeping.get(answers);
        return keepWith ? make(keepWith, { priority }, element) : element;
      }
      if (message.role === "user") return make(tsx.UserMessage, props, text);
      const toolCalls = calls.map((call) => {
        const keepWith = tsx.useKeepWith();
        keeping.set(call.id, keepWith);
        const called = { name: call.name, arguments: JSON.stringify(call.input) };
        return { id: call.id, type: "function", function: called, keepWith };
      });
      return make(tsx.AssistantMessage, { ...props, toolCalls }, text);
    });
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
