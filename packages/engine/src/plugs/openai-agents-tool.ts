import { recallToolName } from "../model/handle.ts";
import { jsonOr } from "../model/parse-json.ts";
import type { FitMemory } from "./fit-memory.ts";
import { type RecallParameters, answerRecall, recallDescription, recallParameters } from "./recall-tool.ts";

/** What the SDK tells a tool of its call. */
interface ToolDetails {
  readonly toolCall?: { readonly callId: string };
}

interface ModelOutput {
  readonly name?: unknown;
  readonly callId?: unknown;
}

interface RunContext {
  readonly context?: unknown;
}

/** A tool of the Agents SDK, as its `tool()` makes them. */
export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: RecallParameters;
  readonly strict: false;
  invoke(runContext: RunContext, input: string, details?: ToolDetails): Promise<string>;
  needsApproval(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

/** `context_recall`, which answers from the memory that `find` gives for the call. */
export function functionTool(
  find: (runContext: RunContext, details: ToolDetails) => FitMemory | undefined,
): FunctionTool {
  return {
    type: "function",
    name: recallToolName,
    description: recallDescription,
    parameters: recallParameters,
    strict: false,
    // Text of a model that is not JSON asks for nothing: the answer says how to ask.
    invoke: async (runContext, input, details = {}) => answerRecall(find(runContext, details), jsonOr(input, {})),
    needsApproval: async () => false,
    isEnabled: async () => true,
  };
}

/** Calls that may still be answered: an approval can take long. */
const maxCalls = 1000;

/** The tool for a provider, which is told of a run no more than the tool is, but for one thing: the id of the call. */
export function toolByCall(): {
  readonly tools: readonly FunctionTool[];
  /** Takes note of what the model asks for in a response to what the memory speaks of. */
  readonly remember: (response: unknown, memory: FitMemory | undefined) => void;
} {
  const byCall = new Map<unknown, FitMemory>();
  return {
    tools: [functionTool((_, { toolCall }) => byCall.get(toolCall?.callId))],
    remember(response, memory) {
      const { output } = (response ?? {}) as { readonly output?: readonly ModelOutput[] };
      if (!memory || !Array.isArray(output)) return;
      for (const { name, callId } of output) if (name === recallToolName) byCall.set(callId, memory);
      for (const oldest of byCall.keys()) if (byCall.size > maxCalls) byCall.delete(oldest);
    },
  };
}

/** An object of the SDK in which these stand for its own; what else it has, such as `close`, stays its own. */
export function withOwn<Target extends object>(
  target: Target,
  own: Readonly<Record<PropertyKey, unknown>> & { readonly tools: readonly FunctionTool[] },
): Target & { readonly tools: readonly FunctionTool[] } {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(own, key)) return own[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  }) as Target & { readonly tools: readonly FunctionTool[] };
}
