// LangChain (`langchain` 1.5): `createAgent({ middleware: [fitMiddleware({ budget })] })`, or `fitMessages` in the place of
// `trimMessages`. The state of the agent keeps all messages; what was decided goes with them under a private key, so that a
// checkpoint has it too.

import * as z from "zod";
import type { Fields } from "../wire/shared/read-items.ts";
import type { FitMemory } from "./fit-memory.ts";
import type { FitOptions } from "./fit-options.ts";
import { fit } from "./fit.ts";
import { textOfBlocks } from "./langchain-blocks.ts";
import { ownMessage, theirMessage, type LangChainMessage } from "./langchain-messages.ts";
import { openPlug, type Plug, type PlugOptions, type RecallOption } from "./open-plug.ts";
import { toolList } from "./tool-list.ts";
import { recallToolName } from "../model/handle.ts";
import { answerRecall, recallDescription, recallParameters, type RecallParameters } from "./recall-tool.ts";

interface ModelRequest {
  readonly messages: readonly LangChainMessage[];
  readonly systemMessage?: { readonly content: unknown };
  readonly tools?: unknown;
  readonly model?: unknown;
  readonly state?: unknown;
  readonly runtime?: Runtime;
}

const stateSchema = z.object({ _galley: z.unknown().optional() });

/** Middleware for `createAgent`, as `createMiddleware` would make it. */
export interface AgentMiddleware {
  readonly name: string;
  readonly stateSchema: typeof stateSchema;
  /** `context_recall` with `recall: true`, else none. LangChain's own type of it cannot be named without LangChain. */
  readonly tools: readonly never[];
  wrapModelCall<Request, Response>(
    request: Request,
    handler: (request: Request) => PromiseLike<Response> | Response,
  ): Promise<Response>;
  afterModel(state: unknown, runtime: Runtime): { _galley: unknown } | undefined;
}

/**
 * Middleware that keeps every call of an agent's model within the budget; the agent's state stays whole.
 *
 *     import { createAgent } from "langchain";
 *     import { fitMiddleware } from "@galley/engine/langchain";
 *     createAgent({ model, tools, middleware: [fitMiddleware({ budget: 32_000 })] });
 */
export function fitMiddleware(options: PlugOptions & RecallOption = {}): AgentMiddleware {
  const plug = openPlug(options, ["recall"]);
  const middleware: AgentMiddleware = {
    name: "GalleyFit",
    stateSchema,
    tools: options.recall ? [langChainTool(plug) as never] : [],
    async wrapModelCall<Request, Response>(
      request: Request,
      handler: (request: Request) => PromiseLike<Response> | Response,
    ) {
      const { messages, systemMessage, tools, model, state, runtime } = request as ModelRequest;
      const fitted = await plug.fit(messages.map(ownMessage), {
        model: modelName(model),
        system: systemMessage ? textOfBlocks(systemMessage.content) : undefined,
        tools: toolList(tools),
        shape: "ai-sdk",
        conversation: threadOf(runtime),
        memory: (state as Fields | undefined)?.["_galley"] as FitMemory | undefined,
      });
      return await handler({ ...request, messages: fitted.messages.map(theirMessage) });
    },
    afterModel(_state, runtime) {
      const thread = threadOf(runtime);
      return thread === undefined ? undefined : { _galley: plug.memoryOf(thread) };
    },
  };
  // What `createMiddleware` marks its own with.
  return Object.assign(middleware, { [Symbol.for("AgentMiddleware")]: true });
}

type MessageOptions = Omit<FitOptions, "shape" | "memory">;
type FitList = <Message extends LangChainMessage>(messages: readonly Message[]) => Promise<Message[]>;

/**
 * In the place of `trimMessages`: of a list, or, without one, a function for a chain (`.pipe(fitMessages({ budget }))`),
 * which remembers the conversations that pass through it.
 *
 *     import { fitMessages } from "@galley/engine/langchain";
 *     await fitMessages(messages, { budget: 32_000 });
 */
export function fitMessages(options: MessageOptions): FitList;
export function fitMessages<Message extends LangChainMessage>(
  messages: readonly Message[],
  options: MessageOptions,
): Promise<Message[]>;
export function fitMessages(first: MessageOptions | readonly LangChainMessage[], options?: MessageOptions): unknown {
  if (!Array.isArray(first)) {
    const plug = openPlug(first as MessageOptions, ["system", "tools"]);
    const { system, tools } = first as MessageOptions;
    return async (messages: readonly LangChainMessage[]) =>
      (await plug.fit(messages.map(ownMessage), { system, tools, shape: "ai-sdk" })).messages.map(theirMessage);
  }
  return fitOnce(first as readonly LangChainMessage[], options);
}

async function fitOnce(list: readonly LangChainMessage[], options?: MessageOptions): Promise<LangChainMessage[]> {
  const { messages } = await fit(list.map(ownMessage), { ...options, shape: "ai-sdk" });
  return messages.map(theirMessage);
}

function modelName(model: unknown): string | undefined {
  const { model: own, modelName: older } = (model ?? {}) as Fields;
  if (typeof model === "string") return model;
  return typeof own === "string" ? own : typeof older === "string" ? older : undefined;
}

/** Where an agent of LangChain runs. */
interface Runtime {
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

function langChainTool(plug: Plug): LangChainTool {
  return {
    name: recallToolName,
    description: recallDescription,
    schema: recallParameters,
    lc_namespace: ["langchain", "tools"],
    lc_runnable: true,
    invoke: (call, config = {}) => answerRecall(memoryFor(plug, config), call.args ?? call),
  };
}

function threadOf(runtime: Runtime | undefined): string | undefined {
  const id = runtime?.configurable?.thread_id;
  return typeof id === "string" ? id : undefined;
}

/** What is remembered of the conversation that the tool is called in: known by its thread, or by its messages. */
function memoryFor(plug: Plug, call: ToolCall): FitMemory | undefined {
  const thread = threadOf(call);
  if (thread !== undefined) return plug.memoryOf(thread);
  return call.state?.messages && plug.find(call.state.messages.map(ownMessage));
}
