import { GalleyError, type WireProvider } from "@galley/engine";
import { type Environment, expandEnvironment } from "../secrets/expand-environment.ts";
import type { ModelProviderDeclaration, ModelsDeclaration } from "../config/models-schema.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { shownAddress } from "../secrets/secret-parts.ts";
import { addAddress, addNamed } from "../secrets/secret-values.ts";
import type { ModelKind, CheckOptions, ProviderStatus, ServerAnswer } from "./models.ts";
import type { OwnProvider } from "./own-providers.ts";
import * as z from "zod";
import { limitedBody, tooMuchName } from "../limits/limited-body.ts";

type ServedKind = Exclude<ModelKind, "demo">;

/** Who serves models, with everything that is needed to ask. */
export interface ModelServer {
  readonly name: string;
  readonly from: ProviderStatus["from"];
  readonly kind: ServedKind;
  readonly wire: WireProvider;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: ModelProviderDeclaration["models"];
  readonly usable: boolean;
  readonly why: string;
}

interface KindFacts {
  readonly wire: WireProvider;
  readonly baseUrl?: string;
  /** The first that is set counts. */
  readonly keyVariables: readonly string[];
  readonly urlVariable?: string;
}

const kinds: Readonly<Record<ServedKind, KindFacts>> = {
  openai: {
    wire: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
    urlVariable: "OPENAI_BASE_URL",
  },
  anthropic: { wire: "anthropic", baseUrl: "https://api.anthropic.com/v1", keyVariables: ["ANTHROPIC_API_KEY"] },
  google: {
    wire: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  },
  "openai-compatible": { wire: "openai-chat", keyVariables: [] },
};

/** The environment variables that may hold the key of such a server. */
export function keyVariablesOf(kind: ModelKind): readonly string[] {
  return kind === "demo" ? [] : kinds[kind].keyVariables;
}

/** Programs that serve models on one's own machine, at the addresses that they listen at by default. */
const localServers: ReadonlyMap<string, string> = new Map([
  ["ollama", "http://127.0.0.1:11434/v1"],
  ["lmstudio", "http://127.0.0.1:1234/v1"],
  ["vllm", "http://127.0.0.1:8000/v1"],
]);

/** Those that speak OpenAI's protocol at an address that everybody knows. */
const knownAddresses: ReadonlyMap<string, string> = new Map([
  ...localServers,
  ["openrouter", "https://openrouter.ai/api/v1"],
]);

/** Where a provider of this name and kind listens when nobody says otherwise. */
export function usualAddress(name: string, kind: ServedKind): string | undefined {
  return kind === "openai-compatible" ? knownAddresses.get(name.toLowerCase()) : kinds[kind].baseUrl;
}

/** Whether a provider of this kind answers nobody without a key. */
export function needsKey(kind: ServedKind): boolean {
  return kind !== "openai-compatible";
}

const builtInOrigins = new Set(
  [...Object.values(kinds).flatMap(({ baseUrl = [] }) => baseUrl), ...knownAddresses.values()].map(
    (address) => new URL(address).origin,
  ),
);

/** Whether an address is one that Galley knows, or one of this machine. */
export function isFamiliar(address: string): boolean {
  const { origin, hostname } = new URL(address);
  return builtInOrigins.has(origin) || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

export interface ServerSources {
  readonly env: Environment;
  /** Receives every key, to redact it. */
  readonly redactor: Redactor;
}

/** All that serve models: those of the configuration, those that a person has added, then those that are known anyway. */
export function modelServers(
  declared: ModelsDeclaration["providers"],
  added: readonly OwnProvider[],
  sources: ServerSources,
): ModelServer[] {
  const wellKnown = [
    ...(["anthropic", "openai", "google"] as const).map((type) => undeclared(type, type)),
    ...Array.from(localServers.keys(), (name) => undeclared(name, "openai-compatible")),
  ];
  const names = new Set(declared.map(({ name }) => name.toLowerCase()));
  const own = added.filter(({ name }) => !names.has(name.toLowerCase()));
  for (const { name } of own) names.add(name.toLowerCase());
  return [
    ...declared.map((provider) => serverOf(provider, sources)),
    ...own.map((provider) => ownServer(provider, sources)),
    ...wellKnown.filter(({ name }) => !names.has(name)).map((provider) => serverOf(provider, sources, "known")),
  ];
}

/** Nothing of it is looked up in the environment: a page must not be able to have a variable sent to a server of its choice. */
function ownServer(
  { name, type: kind, baseUrl, apiKey, models }: OwnProvider,
  { redactor }: ServerSources,
): ModelServer {
  if (apiKey !== undefined) redactor.add(`${name}.apiKey`, apiKey);
  addAddress(redactor, `${name}.baseUrl`, baseUrl);
  const settled = { name, from: "added", kind, wire: kinds[kind].wire, baseUrl, apiKey, headers: {}, models } as const;
  const why =
    apiKey === undefined ? `No key needed; the server is at ${shownAddress(baseUrl)}.` : "Its key was entered here.";
  return { ...settled, usable: true, why };
}

function undeclared(name: string, type: ServedKind): ModelProviderDeclaration {
  return { name, type, headers: {}, models: [] };
}

function serverOf(
  provider: ModelProviderDeclaration,
  { env, redactor }: ServerSources,
  from: ModelServer["from"] = "galley.config",
): ModelServer {
  const { name, type: kind, models } = provider;
  const facts = kinds[kind];
  const missing: string[] = [];
  const expand = (text: string | undefined, field: string): string | undefined => {
    if (text === undefined) return undefined;
    try {
      const path = `models.providers.${name}.${field}`;
      return expandEnvironment(text, { environment: env, path, onValue: (key, value) => redactor.add(key, value) });
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error;
      missing.push(error.message);
      return undefined;
    }
  };
  const fromConfig = expand(provider.apiKey, "apiKey");
  const variable = facts.keyVariables.find((key) => (env[key] ?? "") !== "");
  // A key for OpenAI itself must not go to other servers that speak its protocol.
  const isItself = provider.baseUrl === undefined;
  const apiKey = fromConfig ?? (isItself && variable !== undefined ? env[variable] : undefined);
  if (apiKey !== undefined) redactor.add(fromConfig === undefined ? (variable ?? name) : `${name}.apiKey`, apiKey);
  const headers = Object.fromEntries(
    Object.entries(provider.headers).map(([key, text]) => [key, expand(text, `headers.${key}`) ?? ""]),
  );
  for (const [key, value] of Object.entries(headers)) addNamed(redactor, { name: `${name}.${key}`, value });
  const fromVariable = facts.urlVariable === undefined ? undefined : env[facts.urlVariable];
  const baseUrl =
    expand(provider.baseUrl, "baseUrl") ?? (fromVariable || facts.baseUrl) ?? localServers.get(name) ?? "";
  addAddress(redactor, `${name}.baseUrl`, baseUrl);
  const settled = { name, from, kind, wire: facts.wire, baseUrl, apiKey, headers, models };
  const keyHint = isItself
    ? `${facts.keyVariables[0]}, or enter the key by \`galley provider add ${name}\` or in Studio's settings`
    : `apiKey of ${name} in galley.config`;
  const problem = missing[0] ?? problemOf(settled, keyHint);
  if (problem !== undefined) return { ...settled, usable: false, why: problem };
  return { ...settled, usable: true, why: reason(settled, fromConfig === undefined ? variable : undefined) };
}

type Settled = Omit<ModelServer, "usable" | "why">;

function problemOf({ name, kind, baseUrl, apiKey, headers }: Settled, keyHint: string): string | undefined {
  if (baseUrl === "") return `Set baseUrl of the provider ${name} in galley.config.`;
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) return `The baseUrl of ${name} is not an http address.`;
  return needsKey(kind) && Object.keys(headers).length === 0 && apiKey === undefined ? `Set ${keyHint}.` : undefined;
}

function reason({ kind, apiKey, baseUrl }: Settled, variable: string | undefined): string {
  if (apiKey === undefined) {
    const need = kind === "openai-compatible" ? "No key needed" : "Its headers are in galley.config";
    return `${need}; the server at ${shownAddress(baseUrl)} was not checked.`;
  }
  return variable === undefined ? "Its key is in galley.config." : `${variable} is set.`;
}

export interface CheckServersOptions extends CheckOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly redact: <Value>(value: Value) => Value;
}

// OpenAI, Anthropic and those like them say {data: [{id}]}, Google {models: [{name: "models/…"}]}.
const answerSchema = z.union([
  z.object({ data: z.array(z.object({ id: z.string() })) }).transform(({ data }) => data.map(({ id }) => id)),
  z
    .object({ models: z.array(z.object({ name: z.string() })) })
    .transform(({ models }) => models.map(({ name }) => name.replace(/^models\//, ""))),
]);

/** In bytes; the longest lists that there are have some hundred thousand. */
const maxListLength = 8 * 1024 * 1024;
/** Of what a server says it has, this much is kept: the largest has some hundred, with names of some dozen characters. */
const maxModels = 5000;
const namePattern = /^[^\p{C}]{1,200}$/u;

/** Asks each server that can be used which models it has, all at once. */
export async function checkServers(
  servers: readonly ModelServer[],
  options: CheckServersOptions,
): Promise<readonly ServerAnswer[]> {
  return Promise.all(servers.filter(({ usable }) => usable).map((server) => checkServer(server, options)));
}

async function checkServer(
  server: ModelServer,
  { fetch, redact, timeLimitMs = 3000 }: CheckServersOptions,
): Promise<ServerAnswer> {
  const url = `${server.baseUrl.replace(/\/+$/, "")}/models`;
  const told = { provider: server.name, url: shownAddress(url) };
  const failed = (why: string): ServerAnswer => ({ ...told, reached: false, why: redact(why), models: [] });
  try {
    const signal = AbortSignal.timeout(timeLimitMs);
    // A server that sends us elsewhere does not get our key there.
    const response = await fetch(url, { headers: headersFor(server), signal, redirect: "manual" });
    if (response.status === 401 || response.status === 403)
      return failed(`It refused the key (HTTP ${response.status}).`);
    if (!response.ok) return failed(`It answered with HTTP ${response.status}.`);
    const named = answerSchema.parse(await limitedBody(response, { max: maxListLength }).json());
    const models = [...new Set(named.filter((name) => namePattern.test(name)))].slice(0, maxModels);
    return redact({
      ...told,
      reached: true,
      why: `It answers and has ${models.length} ${models.length === 1 ? "model" : "models"}.`,
      models,
    });
  } catch (error) {
    return failed(reasonOf(error, timeLimitMs));
  }
}

function headersFor({ kind, apiKey, headers }: ModelServer): Record<string, string> {
  const key = apiKey ?? "";
  switch (kind) {
    case "anthropic":
      return { "anthropic-version": "2023-06-01", ...(key ? { "x-api-key": key } : {}), ...headers };
    case "google":
      return { ...(key ? { "x-goog-api-key": key } : {}), ...headers };
    case "openai":
    case "openai-compatible":
      return { ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers };
  }
}

function reasonOf(error: unknown, timeLimitMs: number): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return "It answered with something that is not a list of models.";
  if (!(error instanceof Error)) return "It could not be asked.";
  if (error.name === "TimeoutError") return `It did not answer within ${timeLimitMs} ms.`;
  if (error.name === tooMuchName) return error.message;
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return `It could not be reached${code}.`;
}
