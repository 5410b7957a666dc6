// OpenAI Agents SDK (`@openai/agents` 0.20): `run(agent, input, { callModelInputFilter: fitInput({ budget }) })`.
// What a filter does to the new input of a run is written to the run's session. Messages of the user that follow each other
// therefore stay or go together, so that the newest ones, which are the new input, are never dropped or altered.

import { recallToolName } from "../model/handle.ts";
import type { FitMemory } from "./fit-memory.ts";
import { type PlugOptions, type RecallOption, openPlug, plugCheck } from "./open-plug.ts";
import { type Item, itemUnits } from "./openai-agents-items.ts";
import { type RecallParameters, answerRecall, recallDescription, recallParameters } from "./recall-tool.ts";
import { toolList } from "./tool-list.ts";

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

/** A tool of the Agents SDK, as its `tool()` makes them. */
interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: RecallParameters;
  readonly strict: false;
  invoke(runContext: unknown, input: string): Promise<string>;
  needsApproval(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

/**
 * A filter that keeps every call of a run within the budget. A session of the SDK loses nothing.
 *
 *     import { run } from "@openai/agents";
 *     import { fitInput } from "@galley/engine/openai-agents";
 *     await run(agent, input, { session, callModelInputFilter: fitInput({ budget: 32_000 }) });
 */
export function fitInput(options: PlugOptions & RecallOption = {}): InputFilter {
  plugCheck(options, ["recall"]);
  const plug = openPlug(options);
  const units = itemUnits();
  const byContext = new WeakMap<object, FitMemory>();
  const filter = async <Each>({
    modelData,
    agent,
    context,
  }: FilterInput<Each>): Promise<{ input: Each[]; instructions?: string }> => {
    const { input, instructions } = modelData;
    const { model, tools } = agent as { readonly model?: unknown; readonly tools?: unknown };
    const { messages, memory } = await plug.fit(units.read(input as unknown as readonly Item[]), {
      model: typeof model === "string" && model !== "" ? model : undefined,
      system: instructions,
      tools: toolList(tools),
      shape: "openai-responses",
    });
    if (typeof context === "object" && context !== null) byContext.set(context, memory);
    return { ...modelData, input: messages.flatMap((item) => units.write(item)) as unknown as Each[] };
  };
  // A tool is told the context of its run, and nothing of the run's items: runs at the same time need contexts of their own.
  const find = (context: unknown): FitMemory | undefined =>
    typeof context === "object" && context !== null ? byContext.get(context) : plug.find();
  const tools = options.recall ? [functionTool(find)] : [];
  return Object.assign(filter, { preserveInputIdentity: true as const, tools });
}

/** What a model wrote that is no JSON asks for nothing: the answer says how to ask. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function functionTool(find: (context: unknown) => FitMemory | undefined): FunctionTool {
  return {
    type: "function",
    name: recallToolName,
    description: recallDescription,
    parameters: recallParameters,
    strict: false,
    async invoke(runContext, input) {
      const { context } = runContext as { readonly context?: unknown };
      return answerRecall(find(context), inputOf(input));
    },
    needsApproval: async () => false,
    isEnabled: async () => true,
  };
}
