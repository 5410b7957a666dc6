import { wrongInput } from "../model/check/input.ts";
import type { FitMemory } from "./fit-memory.ts";
import { type PlugOptions, type RecallOption, openPlug } from "./open-plug.ts";
import { type Item, isContinuation, itemUnits } from "./openai-agents-items.ts";
import { type FunctionTool, toolByCall, withOwn } from "./openai-agents-tool.ts";
import { toolList } from "./tool-list.ts";

/** The part of the SDK's request that is read here. */
interface ModelRequest {
  readonly systemInstructions?: string;
  readonly input: unknown;
  readonly tools?: readonly object[];
  readonly handoffs?: readonly object[];
}

interface Model {
  getResponse(request: never): Promise<unknown>;
  getStreamedResponse(request: never): AsyncIterable<unknown>;
}

interface ModelProvider {
  getModel(name?: string): unknown;
}

interface Fitted {
  readonly request: never;
  readonly memory?: FitMemory;
}

/**
 * The provider of a `Runner`, whose models are sent what fits. It stands behind all that the SDK stores: a session keeps
 * every item of a run's input, also of a list with answers and results of tools in it. Where OpenAI keeps the conversation
 * (`conversationId`, `previousResponseId`), only what is new is sent, and it is sent as it is.
 *
 *     import { OpenAIProvider, Runner } from "@openai/agents";
 *     import { fitProvider } from "@galley/engine/openai-agents";
 *     new Runner({ modelProvider: fitProvider(new OpenAIProvider(), { budget: 32_000 }) });
 */
export function fitProvider<Provider extends ModelProvider>(
  provider: Provider,
  options: PlugOptions & RecallOption = {},
): Provider & { readonly tools: readonly FunctionTool[] } {
  const fitRequest = requestFitter(options);
  if (typeof provider?.getModel !== "function") {
    const hint = "Pass the one that the Runner would get: new OpenAIProvider().";
    throw wrongInput("provider", "a model provider of the Agents SDK", provider, { hint });
  }
  const recall = options.recall ? toolByCall() : undefined;
  const getModel = (name?: string): unknown => modelOf(provider.getModel(name), name);
  return withOwn(provider, { tools: recall?.tools ?? [], getModel });

  function modelOf(model: unknown, name: string | undefined): Model | Promise<Model> {
    return model instanceof Promise ? model.then((each) => fitted(each as Model, name)) : fitted(model as Model, name);
  }

  function fitted(model: Model, name: string | undefined): Model {
    const { model: own } = model as { readonly model?: unknown };
    const known = name ?? (typeof own === "string" ? own : undefined);
    const changed: Model = {
      async getResponse(given) {
        const { request, memory } = await fitRequest(given, known);
        const response = await model.getResponse(request);
        recall?.remember(response, memory);
        return response;
      },
      async *getStreamedResponse(given) {
        const { request, memory } = await fitRequest(given, known);
        for await (const event of model.getStreamedResponse(request)) {
          recall?.remember((event as Item)["response"], memory);
          yield event;
        }
      },
    };
    return Object.assign(Object.create(model) as Model, changed);
  }
}

function requestFitter(options: PlugOptions & RecallOption) {
  const plug = openPlug(options, ["recall"]);
  const units = itemUnits();
  return async (request: ModelRequest, model: string | undefined): Promise<Fitted> => {
    const { input, systemInstructions: system, tools = [], handoffs = [] } = request;
    if (!Array.isArray(input) || isContinuation(input as readonly Item[])) return { request: request as never };
    const list = toolList([...tools, ...handoffs.map(asTool)]);
    const call = { model, system, tools: list, shape: "openai-responses" as const };
    const { messages, memory } = await plug.fit(units.read(input as readonly Item[]), call);
    return { request: { ...request, input: messages.flatMap((item) => units.write(item)) } as never, memory };
  };
}

/** A handoff is sent as a tool. */
function asTool(handoff: object): object {
  const { toolName: name, toolDescription: description, inputJsonSchema: parameters } = handoff as Item;
  return { name, description, parameters };
}
