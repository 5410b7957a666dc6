import { GalleyError, type WireProvider } from "@galley/engine";
import { type Environment, expandEnvironment } from "../secrets/expand-environment.ts";
import type { ModelProviderDeclaration, ModelsDeclaration } from "../config/models-schema.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { addPassword } from "../secrets/secret-values.ts";
import type { ModelKind } from "./models.ts";

type ServedKind = Exclude<ModelKind, "demo">;

/** Who serves models, with everything that is needed to ask. */
export interface ModelServer {
  readonly name: string;
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
const localServers: Readonly<Record<string, string>> = {
  ollama: "http://127.0.0.1:11434/v1",
  lmstudio: "http://127.0.0.1:1234/v1",
  vllm: "http://127.0.0.1:8000/v1",
};

export interface ServerSources {
  readonly env: Environment;
  /** Is told every key. */
  readonly redactor: Redactor;
}

/** All that serve models: those of the configuration, then those that are known without one. */
export function modelServers(declared: ModelsDeclaration["providers"], sources: ServerSources): ModelServer[] {
  const wellKnown = [
    ...(["anthropic", "openai", "google"] as const).map((type) => undeclared(type, type)),
    ...Object.keys(localServers).map((name) => undeclared(name, "openai-compatible")),
  ];
  const names = new Set(declared.map(({ name }) => name.toLowerCase()));
  return [...declared, ...wellKnown.filter(({ name }) => !names.has(name))].map((provider) =>
    serverOf(provider, sources),
  );
}

function undeclared(name: string, type: ServedKind): ModelProviderDeclaration {
  return { name, type, headers: {}, models: [] };
}

function serverOf(provider: ModelProviderDeclaration, { env, redactor }: ServerSources): ModelServer {
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
  for (const [key, value] of Object.entries(headers)) addHeader(redactor, `${name}.${key}`, value);
  const fromVariable = facts.urlVariable === undefined ? undefined : env[facts.urlVariable];
  const baseUrl = expand(provider.baseUrl, "baseUrl") ?? (fromVariable || facts.baseUrl) ?? localServers[name] ?? "";
  addPassword(redactor, `${name}.baseUrl`, baseUrl);
  const settled = { name, kind, wire: facts.wire, baseUrl, apiKey, headers, models };
  const keyHint = isItself
    ? `${facts.keyVariables[0]}, or apiKey in galley.config`
    : `apiKey of ${name} in galley.config`;
  const problem = missing[0] ?? problemOf(settled, keyHint);
  if (problem !== undefined) return { ...settled, usable: false, why: problem };
  return { ...settled, usable: true, why: reason(settled, fromConfig === undefined ? variable : undefined) };
}

type Settled = Omit<ModelServer, "usable" | "why">;

function problemOf({ name, kind, baseUrl, apiKey, headers }: Settled, keyHint: string): string | undefined {
  if (baseUrl === "") return `Set baseUrl of the provider ${name} in galley.config.`;
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) return `The baseUrl of ${name} is no http address.`;
  const needsKey = kind !== "openai-compatible" && Object.keys(headers).length === 0;
  return needsKey && apiKey === undefined ? `Set ${keyHint}.` : undefined;
}

function reason({ kind, apiKey, baseUrl }: Settled, variable: string | undefined): string {
  if (apiKey === undefined) {
    const need = kind === "openai-compatible" ? "No key needed" : "Its headers are in galley.config";
    return `${need}; the server at ${withoutPassword(baseUrl)} was not checked.`;
  }
  return variable === undefined ? "Its key is in galley.config." : `${variable} is set.`;
}

/** The header of a plain kind (`accept`) would mask ordinary text. */
function addHeader(redactor: Redactor, name: string, value: string): void {
  if (!/auth|key|token|secret|cookie|password/i.test(name)) return;
  redactor.add(name, value);
  for (const word of value.split(/[\s;=]+/)) if (word.length > 12) redactor.add(name, word);
}

/** An address that can be shown. */
export function withoutPassword(address: string): string {
  const url = URL.parse(address);
  if (!url || (url.password === "" && url.username === "")) return address;
  url.password = "";
  url.username = "";
  return url.href;
}
