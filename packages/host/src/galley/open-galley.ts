import { ownedPlace } from "../turn/places/turn-place.ts";
import { recallFrom } from "../turn/tools/recall-tool.ts";
import { compactionsOf } from "../turn/tools/place-compactions.ts";
import { pinsOf } from "../turn/tools/place-pins.ts";
import { sourceOf } from "../turn/tools/recall-source.ts";
import { dirname, join } from "node:path";
import { type ModelMessage, digestItem } from "@galley/engine";
import { pathIn } from "../disk/data-paths.ts";
import { rememberFolder } from "../disk/opened-folders.ts";
import { makeFolder } from "../disk/private-folder.ts";
import { ownIdentity } from "../disk/process-identity.ts";
import { newId } from "../handover/options/new-id.ts";
import {
  type AgentDeclaration,
  type LoadedConfig,
  configFrom,
  loadConfig,
  nearestConfig,
} from "../config/load-config.ts";
import type { ContextSettings } from "../config/settings-in-force.ts";
import { reservedAgentName } from "../config/providers/agent-meta.ts";
import { defaultLimits } from "../config/time-limits.ts";
import { canvasStore } from "../inject/canvas/canvas-store.ts";
import { addDeclaredSecrets } from "../inject/declared-secrets.ts";
import { HookEventBus } from "../inject/session/hook-event-bus.ts";
import { Redactor } from "../secrets/redactor.ts";
import { addAddress } from "../secrets/secret-values.ts";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/ports/ports.ts";
import type { SessionRef } from "../store/ports/session-store.ts";
import { checkQuestion, checkTurn } from "../turn/services/check-request.ts";
import { checkOptions } from "./check-options.ts";
import type { Galley, OpenGalleyOptions } from "./galley.ts";
import { galleyChats } from "./galley-chats.ts";
import { galleyLogs } from "../logs/galley-logs.ts";
import { galleySessions } from "./galley-sessions.ts";
import { galleyEvents } from "../turn/services/galley-events.ts";
import { openModels } from "../models/open-models.ts";
import { ownProviders } from "../models/own-providers.ts";
import { type AgentListOptions, type GalleyAgents, agentList } from "../config/agent-list.ts";
import { runStarters } from "./run-starters.ts";
import { presetLibrary } from "../presets/preset-library.ts";
import { calibrationFile } from "../models/calibration-file.ts";
import { mcpServers } from "../turn/tools/mcp-tools.ts";
import { ownToolNames } from "../turn/tools/own-tool-names.ts";
import { checkHandlers, handlersError } from "../handover/plan/handler-tools.ts";
import type { HandoverOptions } from "../handover/options/handover-options.ts";
import { embeddedHandover } from "../turn/run/embedded-handover.ts";
import type { Services } from "../turn/services/services.ts";
import { isCommitted } from "../turn/run/turn-outcome.ts";
import { openTurn } from "../turn/run/open-turn.ts";
import { previewTurn } from "../turn/run/preview-turn.ts";
import { closedError, RunRegistry } from "../turn/run/run-registry.ts";
import { sessionLogs } from "../turn/services/session-logs.ts";
import { settingsFor } from "../turn/call/preview-settings.ts";
import { openAgentChat } from "../turn/run/open-agent-chat.ts";
import { adoptSession } from "../turn/places/adopt-session.ts";
import { placeOfChat } from "../turn/places/turn-place.ts";
import { checkCompactor } from "../turn/call/resolve-compactor.ts";
import { switchSettingsOf } from "../turn/call/resolve-settings.ts";
import { injectorFor, toolsFor } from "../turn/tools/tools-for.ts";
import { wireFetch } from "../turn/call/wire-fetch.ts";
import { configuredTools } from "../turn/tools/own-tools.ts";

/**
 * Opens a data folder: `./.ship` with the embedded store, and no server, unless something else is asked for.
 *
 * @example
 * ```ts
 * import { openGalley } from "galley";
 *
 * const galley = await openGalley();
 * const { text } = await galley.run({ chat: "demo", model: "demo", input: "Hello" }).result;
 * console.log(text);
 * await galley.close();
 * ```
 */
export async function openGalley(options: OpenGalleyOptions = {}): Promise<Galley> {
  checkOptions(options);
  const { shared, parts, close } = await openParts(options);
  const runs = new RunRegistry(parts, workerName());
  let closing: Promise<void> | undefined;
  return {
    ...shared,
    runs,
    toolsFor: (place, options) => toolsFor(parts, place, options),
    recall: async (place, request) =>
      recallFrom(
        await sourceOf(parts, "task" in place ? { kind: "task", name: place.task } : ownedPlace(place)),
        request,
      ),
    pins: (place) => pinsOf(parts, ownedPlace(place)),
    compactions: (place) => compactionsOf(parts, ownedPlace(place)),
    injectorFor: (agent, own) => injectorFor(parts, agent, own),
    agentChat: (name) => openAgentChat(parts, name),
    async turn(request) {
      if (closing) throw closedError(false);
      checkTurn(request);
      return openTurn(parts, request);
    },
    isCommitted: (turnId, outcome) => isCommitted(parts, turnId, outcome),
    async settingsFor(request) {
      checkQuestion(request);
      return settingsFor(parts, request);
    },
    preview: (request) => previewTurn(parts, request),
    ...runStarters(parts, runs),
    resume: ({ isOwner = false } = {}) => runs.resume({ isOwner }),
    close: () => (closing ??= runs.close().finally(close)),
  };
}

/** What a turn works with, and `shared`, the part of it that callers see. */
async function openParts(options: OpenGalleyOptions) {
  const { postgres, project = "default", now = Date.now, environment = process.env, context } = options;
  const data = pathIn(options.data ?? ".ship");
  const config = await readConfig(options.config);
  const tools = [...configuredTools(config), ...(options.tools ?? [])];
  const { limits = defaultLimits } = config ?? {};
  const redactor = await redactorFor(options, config);
  const fetch = wireFetch(options.fetch ?? globalThis.fetch);
  const events = galleyEvents(now);
  const onChange = (provider: string): void => events.emit("provider:changed", provider);
  const models = await openModels({ config, env: environment, fetch, redactor, own: ownProviders(data), onChange });
  const calibration = calibrationFile(data);
  makeFolder(data);
  const folder = rememberFolder(data);
  const store = await storeIn(data, postgres, folder);
  const presets = presetLibrary({ folder: join(data, "presets"), now, onChange: (type, id) => events.emit(type, id) });
  const agents = await agentsIn({ config, data, environment, redactor, events });
  const checks = checksFor(config, agents);
  const chats = galleyChats({
    data,
    secrets: () => redactor.secrets(),
    redact: redactor.redact,
    now,
    onChange: (key) => events.emit("chat:changed", key),
    ...checks,
    switching: (key) => switchSettingsOf(parts, key),
    prepare: (chat) => adoptSession(parts, chat),
    forget: (key, what) => forgetRecords(store, { projectId: project, sessionId: placeOfChat(key).session }, what),
  });
  const workerModel = (): string => options.workerModel ?? models.defaultId;
  const profiles = config?.profiles ?? [];
  const handover = embeddedHandover({ store, project, now, profiles, parts: () => parts, workerModel });
  const sessionLog = sessionLogs(store.sessions, project);
  const base = { data, project, config, agents, limits, store, models, redactor };
  const sessions = galleySessions({ ...base, ...checks, events, forget: sessionLog.forget });
  const logs = galleyLogs({ sessions, storeName: data, environment });
  await checkConfiguredHandlers({ config, project, tools }, handover.options, folder);
  const hooks = new HookEventBus({ redact: redactor.redact });
  const canvases = canvasStore({ folder: join(data, "canvas"), eventBus: hooks, redact: redactor.redact });
  const shared = { ...base, presets, chats, sessions, logs, handover, events, hooks, canvases };
  const servers = mcpServers({ connectMs: limits.mcpConnectMs, callMs: limits.mcpCallMs });
  const own = { sessions: sessionLog, wholeSessions: sessions, mcpServers: servers, prompts: new Map() };
  const parts: Services = { ...shared, ...own, now, environment, tools, context, calibration };
  const close = async (): Promise<void> => {
    await handover.stop();
    await servers.close();
    await calibration.idle();
    await chats.close();
    await presets.close();
    sessions.close();
    folder.forget();
    await store.close();
  };
  return { shared, parts, close };
}

async function storeIn(data: string, postgres: string | undefined, folder: { forget(): unknown }): Promise<Store> {
  try {
    return await openStore({ data, postgres });
  } catch (error) {
    folder.forget();
    throw error;
  }
}

/** The agents; the secrets of those that are added are masked from then on. */
async function agentsIn({
  redactor,
  events,
  ...options
}: Omit<AgentListOptions, "onChange"> & Pick<Services, "redactor" | "events">): Promise<GalleyAgents> {
  const { environment } = options;
  const learn = (list: readonly AgentDeclaration[]): Promise<void> =>
    addDeclaredSecrets({ folder: agents.folder, agents: list, providers: [] }, { redactor, environment });
  const agents = agentList({
    ...options,
    async onChange(name, agent) {
      if (agent) await learn([agent]);
      events.emit("agent:changed", name);
    },
  });
  await learn(agents.list().flatMap(({ agent, from }) => (from === "added" ? [agent] : [])));
  return agents;
}

/** What chats and sessions ask the configuration about. */
function checksFor(config: LoadedConfig | undefined, agents: GalleyAgents) {
  return {
    isAgent: (name: string): boolean => name === reservedAgentName || agents.find(name) !== undefined,
    checkContext: (context: ContextSettings | null | undefined): void => checkCompactor(config, context?.compaction),
  };
}

/** Knows the secrets of the configuration and of the database's address, before anything else is opened. */
async function redactorFor(
  { postgres, environment = process.env }: OpenGalleyOptions,
  config: LoadedConfig | undefined,
): Promise<Redactor> {
  const redactor = new Redactor();
  if (postgres !== undefined) addAddress(redactor, "postgres", postgres);
  if (config) await addDeclaredSecrets(config, { redactor, environment });
  return redactor;
}

/** Handlers are checked before anything is started: a model would only find out when it calls one [A5]. */
async function checkConfiguredHandlers(
  { config, project, tools }: Pick<Services, "config" | "project" | "tools">,
  options: HandoverOptions,
  folder: { forget(): unknown },
): Promise<void> {
  if (!config || config.handlers.length === 0) return;
  const taken = new Set([...ownToolNames, ...tools.map(({ name }) => name)]);
  const error = handlersError(await checkHandlers(options, project, config.handlers, taken));
  if (!error) return;
  folder.forget();
  await options.store.close();
  throw error;
}

async function readConfig(config: OpenGalleyOptions["config"]): Promise<LoadedConfig | undefined> {
  if (config === false) return undefined;
  if (typeof config === "object") return configFrom(config, ".");
  if (config !== undefined) return loadConfig(/\.(ts|json)$/u.test(config) ? dirname(config) : config);
  return nearestConfig(".");
}

/** Takes what was redacted or deleted out of the records of builds and runs [M7]. */
async function forgetRecords(store: Store, session: SessionRef, what: ModelMessage | "everything"): Promise<void> {
  const isAll = what === "everything";
  await store.builds.purge(session, isAll ? what : [digestItem(what)]);
  await store.runs.purge(session, { running: isAll });
}

function workerName(): string {
  const { pid, host } = ownIdentity();
  return `${host}-${pid}-${newId().slice(-8)}`;
}
