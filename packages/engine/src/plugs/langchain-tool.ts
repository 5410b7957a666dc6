import { recallToolName } from "../model/handle.ts";
import type { FitMemory } from "./fit-memory.ts";
import { type LangChainMessage, ownMessage } from "./langchain-messages.ts";
import type { Plug } from "./open-plug.ts";
import { type RecallParameters, answerRecall, recallDescription, recallParameters } from "./recall-tool.ts";

/** Where an agent of LangChain runs. */
export interface Runtime {
  readonly configurable?: { readonly thread_id?: unknown } | undefined;
}

/** What LangChain tells a tool of the call. */
interface ToolCall extends Runtime {
  readonly state?: { readonly messages?: readonly LangChainMessage[] } | undefined;
}

/** A tool as LangChain's agents and models take it, without its class: the engine does not import LangChain. */
interface LangChainTool {
  readonly name: string;
  readonly description: string;
  readonly schema: RecallParameters;
  /** By these two LangChain knows what it can call. */
  readonly lc_namespace: string[];
  readonly lc_runnable: true;
  invoke(call: { readonly args?: unknown }, config?: ToolCall): Promise<string>;
}

export function langChainTool(plug: Plug): LangChainTool {
  return {
    name: recallToolName,
    description: recallDescription,
    schema: recallParameters,
    lc_namespace: ["langchain", "tools"],
    lc_runnable: true,
    invoke: (call, config = {}) => answerRecall(memoryFor(plug, config), call.args ?? call),
  };
}

export function threadOf(runtime: Runtime | undefined): string | undefined {
  const id = runtime?.configurable?.thread_id;
  return typeof id === "string" ? id : undefined;
}

/** What is remembered of the conversation that the tool is called in: known by its thread, or by its messages. */
function memoryFor(plug: Plug, call: ToolCall): FitMemory | undefined {
  const thread = threadOf(call);
  if (thread !== undefined) return plug.memoryOf(thread);
  return call.state?.messages && plug.find(call.state.messages.map(ownMessage));
}
