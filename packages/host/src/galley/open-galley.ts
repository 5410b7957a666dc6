import { dirname, join } from "node:path";
import { type ModelMessage, type UserMessage, digestItem } from "@galley/engine";
import { pathIn } from "../disk/data-paths.ts";
import { rememberFolder } from "../disk/opened-folders.ts";
import { makeFolder } from "../disk/private-folder.ts";
import { ownIdentity } from "../disk/process-identity.ts";
import { newId } from "../handover/options/new-id.ts";
import { findConfig } from "../config/find-config.ts";
import { type LoadedConfig, configFrom, loadConfig } from "../config/load-config.ts";
import { defaultLimits } from "../config/limits-schema.ts";
import { canvasStore } from "../inject/canvas/canvas-store.ts";
import { addDeclaredSecrets } from "../inject/declared-secrets.ts";
import { HookEventBus } from "../inject/session/hook-event-bus.ts";
import { Redactor } from "../secrets/redactor.ts";
import { addAddress } from "../secrets/secret-values.ts";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/ports/ports.ts";
import type { SessionRef } from "../store/ports/session-store.ts";
import type { RegenerateOptions, GalleyRun, RunRequest, TurnPlace } from "../turn/services/turn-types.ts";
import type { Galley, OpenGalleyOptions } from "./galley.ts";
import { galleyChats } from "./galley-chats.ts";
import { galleyEvents } from "../turn/services/galley-events.ts";
import { openModels } from "../models/open-models.ts";
import { presetLibrary } from "../presets/preset-library.ts";
import { calibrationFile } from "../models/calibration-file.ts";
import { embeddedHandover } from "../turn/run/embedded-handover.ts";
import { branchAt, branchAtLast } from "../turn/run/find-branch.ts";
import type { Services } from "../turn/services/services.ts";
import { openTurn } from "../turn/run/open-turn.ts";
import { closedError, RunRegistry } from "../turn/run/run-registry.ts";
import { type RunStart, fingerprintOf, userMessage } from "../turn/run/run-request.ts";
import { sessionLogs } from "../turn/services/session-logs.ts";
import { injectorFor, toolsFor } from "../turn/tools/tools-for.ts";
import { wireFetch } from "../turn/call/wire-fetch.ts";

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
  const { shared, parts, close } = await openParts(options);
  const runs = new RunRegistry(parts, workerName());
  let closing: Promise<void> | undefined;
  return {
    ...shared,
    runs,
    toolsFor: (place) => toolsFor(parts, place),
    injectorFor: (agent, own) => injectorFor(parts, agent, own),
    async turn(request) {
      if (closing) throw closedError(false);
      return openTurn(parts, request);
    },
    ...runStarters(parts, runs),
    resume: ({ isOwner = false } = {}) => runs.resume({ isOwner }),
    close: () => (closing ??= runs.close().finally(close)),
  };
}

interface OpenedParts {
  /** What callers see of the services. */
  readonly shared: Omit<
    Galley,
    "runs" | "toolsFor" | "injectorFor" | "turn" | "run" | "regenerate" | "edit" | "resume" | "close"
  >;
  readonly parts: Services;
  readonly close: () => Promise<void>;
}

async function openParts(options: OpenGalleyOptions): Promise<OpenedParts> {
  const { postgres, project = "default", now = Date.now, environment = process.env } = options;
  const data = pathIn(options.data ?? ".ship");
  const config = await readConfig(options.config);
  const limits = config?.limits ?? defaultLimits;
  const redactor = new Redactor();
  if (postgres !== undefined) addAddress(redactor, "postgres", postgres);
  if (config) await addDeclaredSecrets(config, { redactor, environment });
  const fetch = wireFetch(options.fetch ?? globalThis.fetch);
  const models = await openModels({ config, env: environment, fetch, redactor });
  const calibration = calibrationFile(data);
  makeFolder(data);
  const folder = rememberFolder(data);
  const store = await openStore({ data, ...(postgres === undefined ? {} : { postgres }) }).catch((error: unknown) => {
    folder.forget();
    throw error;
  });
  const events = galleyEvents(now);
  const presets = presetLibrary({ folder: join(data, "presets"), now, onChange: (type, id) => events.emit(type, id) });
  const chats = galleyChats({
    data,
    secrets: () => redactor.secrets(),
    now,
    onChange: (key) => events.emit("chat:changed", key),
    forget: (key, what) => forgetRecords(store, { projectId: project, sessionId: `chat:${key}` }, what),
  });
  const workerModel = (): string => options.workerModel ?? models.defaultId;
  const handover = embeddedHandover({ store, project, now, parts: () => parts, workerModel });
  const sessions = sessionLogs(store.sessions, project);
  const { tools = [], summaries = "extractive" } = options;
  const hooks = new HookEventBus({ redact: redactor.redact });
  const canvases = canvasStore({ folder: join(data, "canvas"), eventBus: hooks, redact: redactor.redact });
  const base = { data, project, config, limits, store, models, redactor };
  const shared = { ...base, presets, chats, handover, events, hooks, canvases };
  const parts: Services = { ...shared, now, environment, tools, summaries, sessions, calibration };
  const close = async (): Promise<void> => {
    await handover.stop();
    await calibration.idle();
    await chats.close();
    await presets.close();
    folder.forget();
    await store.close();
  };
  return { shared, parts, close };
}

function runStarters(parts: Services, runs: RunRegistry): Pick<Galley, "run" | "regenerate" | "edit"> {
  const idOf = (asked: RegenerateOptions, what: object): Pick<RunStart, "runId" | "fingerprint"> => ({
    runId: asked.runId ?? newId(parts.now()),
    fingerprint: fingerprintOf({ ...asked, ...what }),
  });
  const again = (place: string | TurnPlace): TurnPlace => (typeof place === "string" ? { chat: place } : place);
  return {
    run: ({ chat, agent, session, input, ...rest }: RunRequest): GalleyRun =>
      runs.start({
        ...rest,
        ...idOf(rest, { chat, agent, session, input }),
        place: placeIn({ chat, agent, session }),
        prepare: async (place) => {
          const message = userMessage(input);
          const time = place.kind === "chat" ? (await parts.chats.open(place.name)).nextTime() : parts.now();
          return { input: message, inputTs: time };
        },
      }),
    regenerate: (place, rest = {}) =>
      runs.start({
        ...rest,
        ...idOf(rest, { regenerate: place }),
        place: again(place),
        answersLastMessage: true,
        prepare: (name) => branchAtLast(parts, name),
      }),
    edit: (place, messageId: string, input: string | UserMessage, rest = {}) =>
      runs.start({
        ...rest,
        ...idOf(rest, { edit: place, messageId, input }),
        place: again(place),
        prepare: async (name) => branchAt(parts, name, messageId, userMessage(input)),
      }),
  };
}

/** Without the names that are not given: what is stored holds no empty fields. */
function placeIn({ chat, agent, session }: { [Name in keyof TurnPlace]: string | undefined }): TurnPlace {
  return {
    ...(chat === undefined ? {} : { chat }),
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
  };
}

async function readConfig(config: OpenGalleyOptions["config"]): Promise<LoadedConfig | undefined> {
  if (config === false) return undefined;
  if (typeof config === "object") return configFrom(config, ".");
  if (config !== undefined) return loadConfig(/\.(ts|json)$/u.test(config) ? dirname(config) : config);
  const found = findConfig(".");
  return found === undefined ? undefined : loadConfig(found);
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
