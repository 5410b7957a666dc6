// Mastra (`@mastra/core` 1.71 and later): `inputProcessors: [fitProcessor({ budget })]`.
// `processLLMRequest` changes only what is sent: memory and page keep everything. The tools of a step are only told to
// `processInputStep`, which comes before it with the same `state`.

import type { ModelMessage } from "../model/messages.ts";
import type { FitMemory } from "./fit-memory.ts";
import { type PlugOptions, type RecallOption, openPlug } from "./open-plug.ts";
import { asPrompt } from "./prompt-message.ts";
import { recallTool } from "./recall-tool.ts";
import { toolList } from "./tool-list.ts";

interface InputStep {
  readonly tools?: Record<string, unknown>;
  readonly state: Record<string, unknown>;
}

interface LlmRequest<Prompt> {
  readonly prompt: Prompt;
  readonly model: unknown;
  readonly state: Record<string, unknown>;
  readonly requestContext?: unknown;
}

/** A processor of which all methods are there, as `inputProcessors` wants them. */
export interface FitProcessor {
  readonly id: string;
  readonly name: string;
  processInputStep(step: InputStep): { tools: Record<string, unknown> } | undefined;
  processLLMRequest<Prompt>(request: LlmRequest<Prompt>): Promise<{ prompt: Prompt }>;
}

const [toolsKey, memoryKey] = ["galley:tools", "galley:memory"];

/**
 * A processor that keeps every call of an agent's model within the budget.
 *
 *     import { Agent } from "@mastra/core/agent";
 *     import { fitProcessor } from "@galley/engine/mastra";
 *     new Agent({ id: "a", name: "a", instructions, model, tools, inputProcessors: [fitProcessor({ budget: 32_000 })] });
 */
export function fitProcessor(options: PlugOptions & RecallOption = {}): FitProcessor {
  const plug = openPlug(options, ["recall"]);
  return {
    id: "galley-fit",
    name: "galley-fit",
    processInputStep({ tools, state }) {
      const own = options.recall ? recallTool(() => state[memoryKey] as FitMemory | undefined) : undefined;
      state[toolsKey] = own ? { ...tools, ...own } : tools;
      return own && { tools: { ...tools, ...own } };
    },
    async processLLMRequest<Prompt>({ prompt, model, state, requestContext }: LlmRequest<Prompt>) {
      const { messages, memory } = await plug.fit(prompt as readonly ModelMessage[], {
        model: (model as { readonly modelId?: string } | undefined)?.modelId,
        tools: toolList(state[toolsKey]),
        shape: "ai-sdk",
        conversation: threadOf(requestContext),
      });
      state[memoryKey] = memory;
      return { prompt: messages.map(asPrompt) as Prompt };
    },
  };
}

function threadOf(context: unknown): string | undefined {
  const get = (context as { get?: (key: string) => unknown } | undefined)?.get;
  const memory = get?.call(context, "MastraMemory") as { readonly thread?: { readonly id?: string } } | undefined;
  return memory?.thread?.id;
}
