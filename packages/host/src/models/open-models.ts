import { GalleyError, loadModels, tokenizerForModel } from "@galley/engine";
import type { ModelCatalogue, ModelInfo } from "@galley/engine/models";
import type { Environment } from "../secrets/expand-environment.ts";
import { type ModelsDeclaration, modelsSchema } from "../config/models-schema.ts";
import { Redactor } from "../secrets/redactor.ts";
import { checkServers, type ModelServer } from "./model-server.ts";
import type { OwnProviders } from "./own-providers.ts";
import { noProvider, providerList } from "./provider-list.ts";
import { demoModel } from "./demo-model.ts";
import { guardedModel, loadModel } from "./guarded-model.ts";
import type { ModelStatus, Models, ResolvedModel } from "./models.ts";
import { isNamed } from "../disk/kept-list.ts";

/** Where keys and servers of models come from. */
export interface OpenModelsOptions {
  /** A loaded galley.config; without one, keys come from the environment alone. */
  readonly config?: { readonly models?: ModelsDeclaration } | undefined;
  /** `process.env` if absent. */
  readonly env?: Environment;
  readonly fetch?: typeof globalThis.fetch;
  /** Receives every key, to redact it; one of its own if absent. */
  readonly redactor?: Redactor;
  /** Where the providers are kept that a person adds; none can be added without it. */
  readonly own?: OwnProviders;
  /** Called when providers have come or gone. */
  readonly onChange?: (provider: string) => void;
}

/** Finds out which models can be used, from the configuration and the environment. Nothing is asked over the network. */
export async function openModels(options: OpenModelsOptions = {}): Promise<Models> {
  const { env = process.env, fetch, redactor = new Redactor() } = options;
  const declared = options.config?.models ?? modelsSchema.parse({});
  const catalogue = await loadModels(declared.overrides);
  const list = providerList({ ...options, declared: declared.providers, env, redactor });
  const redact = redactor.redact;
  return {
    defaultId: declared.default ?? "demo",
    redactor,
    list: () => [
      statusOf("demo", demoInfo(catalogue), demo),
      ...list.servers().flatMap((server) => statusesOf(server, catalogue)),
    ],
    resolve: (id) => {
      const wanted = id.trim();
      if (wanted === "demo") return resolveDemo(catalogue);
      const { server, modelId } = findServer(wanted, list.servers(), catalogue);
      if (!server.usable) throw unusable(wanted, server);
      const load = () => loadModel(server, modelId, fetch);
      return {
        ...describe(server, modelId, catalogue),
        id: wanted,
        model: guardedModel({ provider: server.name, modelId, load, redact }),
      };
    },
    info: (id) => catalogue.find(id),
    async check({ provider, ...limits } = {}) {
      const asked = list.servers().filter(({ name }) => provider === undefined || isNamed(name, provider));
      if (provider !== undefined) checkAskable(provider, asked[0]);
      const answers = await checkServers(asked, { ...limits, fetch: fetch ?? globalThis.fetch, redact });
      await list.learn(answers);
      return answers;
    },
    providers: list.statuses,
    saveProvider: list.save,
    planProvider: list.plan,
    removeProvider: list.remove,
  };
}

function checkAskable(name: string, server: ModelServer | undefined): void {
  if (!server) throw noProvider(name);
  if (server.usable) return;
  throw new GalleyError("ModelUnavailable", `The provider ${name} cannot be asked.`, {
    path: "name",
    hint: server.why,
  });
}

const demo = {
  name: "demo",
  kind: "demo",
  usable: true,
  why: "Built in: it needs no key, echoes, and calls tools by simple rules.",
} as const;

function demoInfo(catalogue: ModelCatalogue): ModelInfo {
  return { ...catalogue.find("demo"), tokenizer: "o200k_base", isKnown: true };
}

function resolveDemo(catalogue: ModelCatalogue): ResolvedModel {
  const info = demoInfo(catalogue);
  const tokenizer = () => tokenizerForModel("demo", { family: info.tokenizer });
  const model = demoModel({ tokenizer, windowTokens: info.window });
  return { id: "demo", provider: "demo", kind: "demo", model, info, wire: "ai-sdk", tokenizer };
}

function describe(
  server: ModelServer,
  modelId: string,
  catalogue: ModelCatalogue,
): Omit<ResolvedModel, "id" | "model"> {
  // Figures that stand beside a model in the configuration count for that server alone.
  const own = server.models.find((model) => typeof model !== "string" && model.id === modelId);
  const info = withFigures(own, catalogue.find(modelId));
  return {
    provider: server.name,
    kind: server.kind,
    info,
    wire: server.wire,
    tokenizer: () => tokenizerForModel(modelId, { family: info.tokenizer }),
    // What was said is in our store; what we leave out must not come back from theirs.
    ...(server.kind === "openai" ? { providerOptions: { openai: { store: false } } } : {}),
  };
}

function withFigures(own: ModelServer["models"][number] | undefined, known: ModelInfo): ModelInfo {
  if (own === undefined || typeof own === "string") return known;
  const { window = known.window, output = known.output } = own;
  return { ...known, window, output: Math.min(output, window), isKnown: true };
}

/** Whose models these are, by their names. */
const makers: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, "anthropic"],
  [/^(gpt-(?!oss)|o\d|chatgpt-|codex-)/, "openai"],
  [/^gemini-/, "google"],
];

function makerOf(modelId: string): string | undefined {
  return makers.find(([pattern]) => pattern.test(modelId.toLowerCase()))?.[1];
}

function findServer(
  id: string,
  servers: readonly ModelServer[],
  catalogue: ModelCatalogue,
): { readonly server: ModelServer; readonly modelId: string } {
  const slash = id.indexOf("/");
  const wanted = slash < 0 ? makerOf(id) : id.slice(0, slash).toLowerCase();
  const modelId = id.slice(slash + 1);
  const server =
    servers.find(({ name }) => name.toLowerCase() === wanted) ??
    servers.find(({ models }) => models.some((model) => idOf(model) === id));
  if (server && modelId !== "" && modelId !== "*") {
    return { server, modelId: server.name.toLowerCase() === wanted ? modelId : id };
  }
  const near = catalogue.nearest(id).filter((name) => makerOf(name) !== undefined);
  const meant = near.length > 0 ? `Did you mean ${near.join(" or ")}? ` : "";
  const names = servers.map(({ name }) => `${name}/…`).join(", ");
  throw new GalleyError("ModelUnavailable", `No model is called ${JSON.stringify(id)}.`, {
    path: "model",
    hint: `${meant}Models of a server are named ${names}. \`galley models --usable\` lists what there is; --model demo works without a key.`,
  });
}

function unusable(id: string, { why }: ModelServer): GalleyError {
  return new GalleyError("ModelUnavailable", `The model ${id} cannot be used as things are set up.`, {
    path: "model",
    hint: `${why} Or take --model demo, which works without a key.`,
  });
}

function statusesOf(server: ModelServer, catalogue: ModelCatalogue): ModelStatus[] {
  const named = server.models.map(
    (model) => [`${server.name}/${idOf(model)}`, withFigures(model, catalogue.find(idOf(model)))] as const,
  );
  const made = catalogue.models
    .filter(({ name }) => makerOf(name) === server.name)
    .map((info) => [info.name, info] as const);
  const all = [...named, ...made];
  if (all.length === 0) all.push([`${server.name}/*`, catalogue.find(`${server.name}/*`)]);
  return all.map(([id, info]) => statusOf(id, info, server));
}

function statusOf(
  id: string,
  info: ModelInfo,
  server: Pick<ModelServer, "name" | "usable" | "why"> & Pick<ModelStatus, "kind">,
): ModelStatus {
  const { isKnown, window, output, tokenizer } = info;
  return {
    id,
    provider: server.name,
    kind: server.kind,
    usable: server.usable,
    why: server.why,
    ...(isKnown ? { contextWindow: window, maxOutput: output } : {}),
    tokenizer: { name: tokenizer, exactness: tokenizer.endsWith("_base") ? "exact" : "estimated" },
  };
}

function idOf(model: ModelServer["models"][number]): string {
  return typeof model === "string" ? model : model.id;
}
