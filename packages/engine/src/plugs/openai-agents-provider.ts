import { type PlugOptions, openPlug, plugCheck } from "./open-plug.ts";
import { type Item, itemUnits } from "./openai-agents-items.ts";
import { toolList } from "./tool-list.ts";
import { wrongInput } from "../model/check-input.ts";

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

type Fitter = <Request>(request: Request, model: string | undefined) => Promise<Request>;

/**
 * The provider of a `Runner`, whose models are sent what fits. It stands behind all that the SDK stores: a session keeps
 * every item of a run's input, also of a list with answers and results of tools in it.
 *
 *     import { OpenAIProvider, Runner } from "@openai/agents";
 *     import { fitProvider } from "@galley/engine/openai-agents";
 *     new Runner({ modelProvider: fitProvider(new OpenAIProvider(), { budget: 32_000 }) });
 */
export function fitProvider<Provider extends ModelProvider>(provider: Provider, options: PlugOptions = {}): Provider {
  plugCheck(options);
  if (typeof provider?.getModel !== "function") {
    const hint = "Pass the one that the Runner would get: new OpenAIProvider().";
    throw wrongInput("provider", "a model provider of the Agents SDK", provider, { hint });
  }
  const plug = openPlug(options);
  const units = itemUnits();
  const fitRequest: Fitter = async (request, model) => {
    const { input, systemInstructions: system, tools = [], handoffs = [] } = request as ModelRequest;
    if (!Array.isArray(input)) return request;
    const list = toolList([...tools, ...handoffs.map(asTool)]);
    const call = { model, system, tools: list, shape: "openai-responses" as const };
    const { messages } = await plug.fit(units.read(input as readonly Item[]), call);
    return { ...request, input: messages.flatMap((item) => units.write(item)) };
  };
  // What else the provider has, such as `close`, stays its own.
  return new Proxy(provider, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === "getModel") return async (name?: string) => fitted((await target.getModel(name)) as Model, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });

  function fitted(model: Model, name: string | undefined): Model {
    const { model: own } = model as { readonly model?: unknown };
    const known = name ?? (typeof own === "string" ? own : undefined);
    const changed: Model = {
      getResponse: async (request) => model.getResponse(await fitRequest(request, known)),
      async *getStreamedResponse(request) {
        yield* model.getStreamedResponse(await fitRequest(request, known));
      },
    };
    return Object.assign(Object.create(model) as Model, changed);
  }
}

/** A handoff is sent as a tool. */
function asTool(handoff: object): object {
  const { toolName: name, toolDescription: description, inputJsonSchema: parameters } = handoff as Item;
  return { name, description, parameters };
}
