import { GalleyError } from "@galley/engine";
import { declaredError } from "../config/config-problems.ts";
import { type ModelsDeclaration, providerName } from "../config/models-schema.ts";
import { shownAddress } from "../secrets/secret-parts.ts";
import { type ModelServer, type ServerSources, modelServers, needsKey, usualAddress } from "./model-server.ts";
import type { Models, NewProvider, ProviderStatus, ServerAnswer } from "./models.ts";
import type { OwnProvider, OwnProviders } from "./own-providers.ts";
import { isNamed } from "../disk/kept-list.ts";

export interface ProviderListOptions extends ServerSources {
  readonly declared: ModelsDeclaration["providers"];
  readonly own?: OwnProviders;
  readonly onChange?: (provider: string) => void;
}

/** Who serves models at this moment: the list changes while Galley is open. */
export interface ProviderList {
  servers(): readonly ModelServer[];
  readonly statuses: Models["providers"];
  readonly save: Models["saveProvider"];
  readonly plan: Models["planProvider"];
  readonly remove: Models["removeProvider"];
  /** Keeps which models the servers have said that they have. */
  learn(answers: readonly ServerAnswer[]): Promise<void>;
}

export function providerList({ declared, own, onChange, ...sources }: ProviderListOptions): ProviderList {
  /** What servers that nobody has added said; it is known for as long as Galley is open. */
  const heard = new Map<string, readonly string[]>();
  const all = (added: readonly OwnProvider[]): readonly ModelServer[] =>
    modelServers(declared, added, sources).map((server) => {
      const models = isNameless(server) ? heard.get(server.name) : undefined;
      return models ? { ...server, models: [...models] } : server;
    });
  let servers = all(own?.read() ?? []);
  const change = async (name: string, by: (providers: readonly OwnProvider[]) => readonly OwnProvider[]) => {
    if (!own) {
      throw new GalleyError("EditNotAllowed", "Providers are added to a data folder, and there is none here.", {
        hint: "Declare it in galley.config.",
      });
    }
    servers = all(await own.change(by));
    onChange?.(name);
  };
  return {
    servers: () => servers,
    statuses: () => servers.map(statusOf),
    plan: (given) => checkProvider(given, declared),
    async save(given) {
      const checked = checkProvider(given, declared);
      await change(checked.name, (providers) => {
        const before = providers.find(({ name }) => isNamed(name, checked.name));
        return [...providers.filter((one) => one !== before), withKey(checked, before)];
      });
      return statusOf(servers.find(({ name }) => isNamed(name, checked.name)) as ModelServer);
    },
    remove: (wanted) =>
      change(wanted, (providers) => {
        const left = providers.filter(({ name }) => !isNamed(name, wanted));
        if (left.length === providers.length) throw noProvider(wanted);
        return left;
      }),
    async learn(answers) {
      const said = new Map(answers.flatMap(({ provider, reached, models }) => (reached ? [[provider, models]] : [])));
      const isNew = ({ name, models }: ModelServer): boolean =>
        JSON.stringify(said.get(name) ?? models) !== JSON.stringify(models);
      const news = servers.filter((server) => (server.from === "added" || isNameless(server)) && isNew(server));
      const [first] = news;
      if (first === undefined) return;
      for (const { name } of news) heard.set(name, said.get(name) ?? []);
      const learned = (one: OwnProvider): OwnProvider => ({ ...one, models: [...(said.get(one.name) ?? one.models)] });
      if (news.some(({ from }) => from === "added")) await change(first.name, (providers) => providers.map(learned));
      else {
        servers = all(own?.read() ?? []);
        onChange?.(first.name);
      }
    },
  };
}

/** Whether a server's models are only known by asking it. */
function isNameless({ from, kind }: ModelServer): boolean {
  return from === "known" && kind === "openai-compatible";
}

function statusOf({ name, kind, baseUrl, apiKey, from, usable, why }: ModelServer): ProviderStatus {
  return { name, kind, baseUrl: shownAddress(baseUrl), from, hasKey: apiKey !== undefined, usable, why };
}

export function noProvider(name: string): GalleyError {
  return new GalleyError("NotFound", `No provider that was added is called ${JSON.stringify(name)}.`, {
    path: "name",
    hint: "`galley provider list` lists them; those of galley.config are changed there.",
  });
}

type CheckedProvider = ReturnType<Models["planProvider"]>;

function checkProvider(given: NewProvider, declared: ModelsDeclaration["providers"]): CheckedProvider {
  const { success, error } = providerName.safeParse(given.name);
  if (!success) throw refused("name", `${error.issues[0]?.message ?? "It cannot be a name"}.`);
  if (declared.some(({ name }) => isNamed(name, given.name))) throw declaredError("provider", given.name);
  return { ...given, baseUrl: checkAddress(given) };
}

function checkAddress({ name, type, baseUrl = usualAddress(name, type) }: NewProvider): string {
  if (baseUrl === undefined || baseUrl.trim() === "") {
    throw refused("baseUrl", "Say where it listens, with its /v1: https://llm.example/v1");
  }
  const url = URL.parse(baseUrl.trim());
  if (!url || !/^https?:$/.test(url.protocol))
    throw refused("baseUrl", "The address must begin with https:// or http://.");
  if (url.username || url.password)
    throw refused("baseUrl", "A key has a field of its own; it does not go into the address.");
  if (url.search || url.hash) throw refused("baseUrl", "The address must end before any ? or #.");
  return url.href.replace(/\/+$/, "");
}

/** A key is bound to the origin that it was entered for: another address needs it once more. */
function withKey({ name, type, baseUrl, apiKey }: CheckedProvider, before: OwnProvider | undefined): OwnProvider {
  const isSame = before !== undefined && new URL(before.baseUrl).origin === new URL(baseUrl).origin;
  const key = apiKey?.trim() || (isSame ? before.apiKey : undefined);
  if (key === undefined && needsKey(type)) throw refused("apiKey", `Enter the key for ${new URL(baseUrl).origin}.`);
  const models = isSame && before.type === type ? before.models : [];
  return { name, type, baseUrl, ...(key === undefined ? {} : { apiKey: key }), models };
}

const hints = {
  name: "A name stands before the slash of its models: house in house/qwen3.",
  baseUrl: "An address looks like https://llm.example/v1.",
  apiKey: "The provider gives it to you; by the command, --key names a file with it.",
} as const;

function refused(path: keyof typeof hints, message: string): GalleyError {
  return new GalleyError("BadRequest", message, { path, hint: hints[path] });
}
