// OpenAI Agents SDK (`@openai/agents` 0.20): `run(agent, input, { callModelInputFilter: fitInput({ budget }) })`.
// What a filter does to the new input of a run is written to the run's session. Messages of the user that follow each other
// therefore stay or go together, so that the newest ones, which are the new input, are never dropped or altered.

import type { FitMemory } from "./fit-memory.ts";
import { type PlugOptions, type RecallOption, openPlug } from "./open-plug.ts";
import { type Item, isContinuation, itemUnits } from "./openai-agents-items.ts";
import { type FunctionTool, functionTool } from "./openai-agents-tool.ts";
import { toolList } from "./tool-list.ts";

/** In the place of a conversation, where there is none or more than one. */
const several = "";

interface FilterInput<Item> {
  readonly modelData: { readonly input: Item[]; readonly instructions?: string };
  readonly agent: unknown;
  readonly context?: unknown;
}

/** A filter of the Agents SDK that is given the run's own items, and leaves them as they are. */
export interface InputFilter {
  <Each>(input: FilterInput<Each>): Promise<{ input: Each[]; instructions?: string }>;
  preserveInputIdentity: true;
  /** For `tools` of the agent: `context_recall` with `recall: true`, else none. */
  readonly tools: readonly FunctionTool[];
}

/**
 * A filter that keeps every call of a run within the budget. A session of the SDK loses nothing.
 *
 *     import { run } from "@openai/agents";
 *     import { fitInput } from "@galley/engine/openai-agents";
 *     await run(agent, input, { session, callModelInputFilter: fitInput({ budget: 32_000 }) });
 */
export function fitInput(options: PlugOptions & RecallOption = {}): InputFilter {
  const plug = openPlug(options, ["recall"]);
  const units = itemUnits();
  const byContext = new WeakMap<object, string>();
  const filter = async <Each>({
    modelData,
    agent,
    context,
  }: FilterInput<Each>): Promise<{ input: Each[]; instructions?: string }> => {
    const { input, instructions } = modelData;
    const { model, tools } = agent as { readonly model?: unknown; readonly tools?: unknown };
    if (isContinuation(input as unknown as readonly Item[])) return modelData;
    const list = units.read(input as unknown as readonly Item[]);
    const { messages } = await plug.fit(list, {
      model: typeof model === "string" && model !== "" ? model : undefined,
      system: instructions,
      tools: toolList(tools),
      shape: "openai-responses",
    });
    if (options.recall && typeof context === "object" && context !== null) {
      const conversation = plug.conversationOf(list) ?? several;
      byContext.set(context, (byContext.get(context) ?? conversation) === conversation ? conversation : several);
    }
    return { ...modelData, input: messages.flatMap((item) => units.write(item)) as unknown as Each[] };
  };
  // A tool is told the context of its run, and nothing of the run's items: where several conversations share a context, none
  // of them is told, as it might be another's.
  const find = ({ context }: { readonly context?: unknown }): FitMemory | undefined =>
    typeof context === "object" && context !== null ? plug.memoryOf(byContext.get(context) ?? several) : plug.find();
  const tools = options.recall ? [functionTool(find)] : [];
  return Object.assign(filter, { preserveInputIdentity: true as const, tools });
}
