// AI SDK (`ai` 7): `prepareStep: fitStep({ budget })`, or a middleware for `wrapLanguageModel`.
// What `prepareStep` returns carries forward to later steps: the whole list is put together again from what was sent.

import type { ModelMessage } from "../model/messages.ts";
import { openPlug, type PlugOptions, type RecallOption } from "./open-plug.ts";
import { asPrompt } from "./prompt-message.ts";
import { recallTool } from "./recall-tool.ts";
import { toolList } from "./tool-list.ts";

/** How messages of the AI SDK are fitted. */
export interface AiSdkOptions extends PlugOptions, RecallOption {
  /** The tools of the call, to be counted: the AI SDK does not tell `prepareStep` of them. */
  readonly tools?: Readonly<Record<string, unknown>> | undefined;
}

/** The part of a step that is read here. */
interface Step {
  readonly model: unknown;
  readonly instructions?: unknown;
  readonly messages: readonly unknown[];
}

/** A `prepareStep`, and the tools that it brings: `context_recall` with `recall: true`, else none. */
export interface FitStep {
  <Given extends Step>(step: Given): Promise<{ messages: Given["messages"][number][] }>;
  readonly tools: Partial<ReturnType<typeof recallTool<[ToolCall]>>>;
}

interface ToolCall {
  readonly messages: readonly object[];
}

/**
 * A `prepareStep` that keeps every step of `generateText`, `streamText` or an agent within the budget. What the AI SDK
 * gives back as the response stays whole. With `recall: true`, pass its tools on: `tools: { ...tools, ...step.tools }`.
 *
 *     import { streamText } from "ai";
 *     import { fitStep } from "@galley/engine/ai-sdk";
 *     streamText({ model, messages, tools, prepareStep: fitStep({ budget: 32_000, tools }) });
 */
export function fitStep(given: AiSdkOptions = {}): FitStep {
  const plug = openPlug(given, ["tools", "recall"]);
  const { tools, recall } = given;
  const whole = carriedLists();
  const own = recall ? recallTool(({ messages }: ToolCall) => plug.find(whole.read(messages))) : {};
  const counted = toolList({ ...tools, ...own });
  const step = async <Given extends Step>({ model, instructions, messages }: Given) => {
    const list = whole.read(messages as readonly object[]);
    const call = { model: modelId(model), system: textOf(instructions), tools: counted, shape: "ai-sdk" as const };
    const { messages: sent } = await plug.fit(list, call);
    whole.remember(list, sent);
    return { messages: sent as Given["messages"][number][] };
  };
  return Object.assign(step, { tools: own });
}

interface CallParameters {
  readonly prompt: unknown;
  readonly tools?: unknown;
}

interface TransformInput<Parameters> {
  readonly type: "generate" | "stream";
  readonly params: Parameters;
  readonly model: { readonly modelId: string };
}

/** Middleware that fits every call of a model, tools included, and changes nothing but what is sent. */
export interface FitMiddleware {
  readonly specificationVersion: "v4";
  readonly transformParams: <Parameters extends CallParameters>(
    input: TransformInput<Parameters>,
  ) => Promise<Parameters>;
}

/** The same for all calls of a model: `wrapLanguageModel({ model, middleware: fitMiddleware({ budget }) })`. */
export function fitMiddleware(options: PlugOptions = {}): FitMiddleware {
  const plug = openPlug(options);
  return {
    specificationVersion: "v4",
    async transformParams({ params, model }) {
      const prompt = params.prompt as readonly ModelMessage[];
      const call = { model: model.modelId, tools: toolList(params.tools), shape: "ai-sdk" as const };
      const { messages } = await plug.fit(prompt, call);
      // A text that was put in is a list of parts here.
      return { ...params, prompt: messages.map(asPrompt) };
    },
  };
}

/** Instructions are a text, a message or several. */
function textOf(instructions: unknown): string | undefined {
  if (instructions === undefined || instructions === null) return undefined;
  if (typeof instructions === "string") return instructions;
  const all = (Array.isArray(instructions) ? instructions : [instructions]) as readonly { readonly content: string }[];
  return all.map(({ content }) => content).join("\n\n");
}

function modelId(model: unknown): string | undefined {
  if (typeof model === "string") return model;
  return (model as { readonly modelId?: string } | undefined)?.modelId;
}

interface Carried {
  readonly list: readonly object[];
  readonly sent: readonly object[];
}

/** Whole lists, by the last message of what was sent of them: a framework may carry the sent one forward. */
function carriedLists(): {
  read(messages: readonly object[]): readonly object[];
  remember(list: readonly object[], sent: readonly object[]): void;
} {
  const known = new WeakMap<object, Carried>();
  return {
    read(messages) {
      for (let at = messages.length - 1; at >= 0; at -= 1) {
        const carried = known.get(messages[at] as object);
        if (carried?.sent.length === at + 1 && carried.sent.every((message, index) => message === messages[index]))
          return [...carried.list, ...messages.slice(at + 1)];
      }
      return messages;
    },
    remember(list, sent) {
      const last = sent.at(-1);
      if (last) known.set(last, { list, sent: [...sent] });
    },
  };
}
