import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError, type SessionEntry } from "@galley/engine";
import type { AgentUpdate } from "../../agents/acp-prompt.ts";
import type { Input } from "../../api/client.ts";
import type { RouteName, RouteReply } from "../../api/index.ts";
import type { Chat } from "../../chat/chat.ts";
import type { ChatMessage } from "../../chat/lines/chat-line.ts";
import type { DaemonClient } from "../../daemon/client/daemon-client.ts";
import type { RouteHandlers } from "../../daemon/http/bind-routes.ts";
import { exists } from "../../disk/data-files.ts";
import { pathIn } from "../../disk/data-paths.ts";
import { storeFile } from "../../disk/store-files.ts";
import type { Galley } from "../../galley/galley.ts";
import type { PresetLibrary } from "../../presets/preset-library.ts";
import type { FolderFlags } from "./options.ts";

// A command asks here for what it works with and does not learn where the work is done: by the daemon of the data folder where
// one runs, so that it and the pages that look on know of every change, and otherwise by this process. Each part is loaded when
// it is needed: most commands need one.

/** The daemon of a data folder, where one runs. */
export async function connect({ data, token }: FolderFlags): Promise<DaemonClient | undefined> {
  const { findDaemon } = await import("../../daemon/client/running-daemon.ts");
  const daemon = await findDaemon(resolve(data), token);
  return daemon && (await import("../../daemon/client/daemon-client.ts")).daemonClient(daemon);
}

/** What changes a chat, rather than read it. */
const changing = [
  "append",
  "importEntries",
  "newContext",
  "loadContext",
  "clearActive",
  "renameContext",
  "deleteContext",
  "deleteChat",
  "redact",
  "chooseAlternate",
] as const satisfies readonly (keyof Chat)[];
type ChatChanges = Pick<Chat, (typeof changing)[number]>;

/** A chat that reads the disk without asking for the daemon at all, and looks for it before the first change. */
export function connectChat(chat: Chat, folder: FolderFlags): Chat {
  let found: Promise<ChatChanges> | undefined;
  const find = async (): Promise<ChatChanges> => {
    const daemon = await connect(folder);
    return daemon ? changesThrough(daemon, chat.key) : { ...chat, ...recordedChanges(chat, folder) };
  };
  const changes = changing.map((name) => {
    type Method = (...args: readonly unknown[]) => Promise<unknown>;
    return [name, async (...args: readonly unknown[]) => ((await (found ??= find()))[name] as Method)(...args)];
  });
  return {
    ...chat,
    get problems() {
      return chat.problems;
    },
    ...(Object.fromEntries(changes) as ChatChanges),
  };
}

function changesThrough(daemon: DaemonClient, key: string): ChatChanges {
  const params = { key };
  return {
    async append(messages) {
      const { messages: added } = await daemon.call("chats.add", { params, body: { messages: [...messages] } });
      return added as readonly ChatMessage[];
    },
    async importEntries(entries) {
      const body = { entries: entries.map((entry) => ({ ...entry })) };
      const { messages, left } = await daemon.call("chats.import", { params, body });
      return { messages: messages as readonly ChatMessage[], left };
    },
    newContext: (body = {}) => daemon.call("chats.new", { params, body }),
    loadContext: (body) => daemon.call("chats.load", { params, body }) as ReturnType<Chat["loadContext"]>,
    clearActive: () => daemon.call("chats.clear", { params }),
    async renameContext(contextId, title) {
      await daemon.call("chats.rename", { params: { key, contextId }, body: { title } });
    },
    deleteContext: (contextId, confirm) =>
      daemon.call("chats.deleteContext", { params: { key, contextId }, query: { confirm } }),
    deleteChat: (confirm) => daemon.call("chats.delete", { params, query: { confirm } }),
    redact: (id) => daemon.call("chats.redact", { params: { key, id } }),
    async chooseAlternate(id) {
      await daemon.call("chats.choose", { params: { key, id } });
    },
  };
}

/** The records of builds and runs hold what was said as well, and let go of it where the data folder has any [M7]. */
function recordedChanges(
  chat: Chat,
  { data }: FolderFlags,
): Pick<ChatChanges, "deleteContext" | "deleteChat" | "redact"> {
  const recorded = async <Result>(work: (chat: Chat) => Promise<Result>): Promise<Result> => {
    if (!exists(storeFile(data))) return work(chat);
    return withGalley({ data, config: false }, async ({ chats }) => work(await chats.open(chat.key)));
  };
  return {
    deleteContext: (contextId, confirm) => recorded((one) => one.deleteContext(contextId, confirm)),
    deleteChat: (confirm) => recorded((one) => one.deleteChat(confirm)),
    redact: (id) => recorded((one) => one.redact(id)),
  };
}

/** A data folder, with the configuration that its models, agents and settings come from: `false` for none. */
export interface ConfiguredFolder extends FolderFlags {
  readonly config?: string | false | undefined;
}

/** A data folder, opened in this process for as long as `work` needs it. */
export async function withGalley<Result>(
  { data, config }: ConfiguredFolder,
  work: (galley: Galley) => Promise<Result>,
): Promise<Result> {
  const { openGalley } = await import("../../galley/open-galley.ts");
  const galley = await openGalley({ data, ...(config === undefined ? {} : { config }) });
  try {
    return await work(galley);
  } finally {
    await galley.close();
  }
}

/** Asks for routes by their names. */
export type Ask<Names extends RouteName> = <Name extends Names>(
  name: Name,
  input: Input<Name>,
) => Promise<RouteReply<Name>>;

/** The routes that need a data folder and nothing else of a daemon. */
type FolderRoute = Extract<RouteName, `${"chats" | "sessions"}.${string}`>;

/** The chats and sessions of a data folder. */
export async function withRoutes<Result>(
  folder: ConfiguredFolder,
  work: (ask: Ask<FolderRoute>) => Promise<Result>,
): Promise<Result> {
  return withHandlers(folder, work, async (use) => {
    const [{ chatHandlers }, { sessionHandlers }] = await Promise.all([
      import("../../daemon/handlers/chat-handlers.ts"),
      import("../../daemon/handlers/session-handlers.ts"),
    ]);
    return withGalley(folder, (galley) => {
      const context = { galley, events: { tell: () => undefined } };
      return use({ ...chatHandlers(context), ...sessionHandlers(context) });
    });
  });
}

/** The daemon answers where one runs; otherwise the daemon's handlers do, which `open` gives, without a daemon. */
export async function withHandlers<Names extends RouteName, Result>(
  folder: FolderFlags,
  work: (ask: Ask<Names>) => Promise<Result>,
  open: (use: (handlers: RouteHandlers<Names>) => Promise<Result>) => Promise<Result>,
): Promise<Result> {
  const daemon = await connect(folder);
  if (daemon) return work((name, input) => daemon.call(name, input));
  const call = { signal: new AbortController().signal };
  return open((handlers) =>
    work(async <Name extends Names>(name: Name, input: Input<Name>) => {
      const answer = handlers[name] as (args: object, of: typeof call) => unknown;
      return (await answer({ query: {}, body: {}, ...input }, call)) as RouteReply<Name>;
    }),
  );
}

/** Appends entries to a session, and gives how many were new. */
export type AppendEntries = (session: string, entries: readonly SessionEntry[]) => Promise<number>;

/** The sessions of a data folder, for what reads entries into them. Secrets that the configuration knows are masked [P6]. */
export async function withAppend<Result>(
  { data, token }: FolderFlags,
  work: (append: AppendEntries) => Promise<Result>,
): Promise<Result> {
  const daemon = await connect({ data, token });
  if (daemon) {
    return work(async (id, entries) => {
      return (await daemon.call("sessions.import", { params: { id }, body: { entries: [...entries] } })).added;
    });
  }
  // Not by the route: entries that this process has read need not be checked again.
  return withGalley({ data }, ({ sessions }) =>
    work(async (id, entries) => (await sessions.append(id, entries)).added),
  );
}

/** The library of a data folder, for as long as `work` needs it. */
export async function withPresets<Result>(
  folder: FolderFlags,
  work: (presets: PresetLibrary) => Promise<Result>,
): Promise<Result> {
  const { checkPresetName, presetLibrary } = await import("../../presets/preset-library.ts");
  const daemon = await connect(folder);
  if (daemon) return work(presetsThrough(daemon, checkPresetName));
  const library = presetLibrary({ folder: pathIn(folder.data, "presets"), now: Date.now, onChange: () => {} });
  try {
    return await work(library);
  } finally {
    await library.close();
  }
}

/** @param check refuses a name before the daemon does: what that says is meant for programs */
function presetsThrough(daemon: DaemonClient, check: (id: string) => string): PresetLibrary {
  const params = (id: string): { readonly id: string } => ({ id: check(id) });
  return {
    list: async () => (await daemon.call("presets.list", {})).presets,
    get: (id) => daemon.call("presets.get", { params: params(id) }),
    save: (id, body) => daemon.call("presets.save", { params: params(id), body }),
    async delete(id) {
      await daemon.call("presets.delete", { params: params(id) });
    },
    versions: async (id) => (await daemon.call("presets.versions", { params: params(id) })).versions,
    version: (id, version) => daemon.call("presets.version", { params: { ...params(id), version } }),
  };
}

export interface DaemonPrompt {
  readonly name: string;
  readonly text: string;
  /** Asks the agent to end its prompt. */
  readonly signal: AbortSignal;
  /** How long the agent may take to do so, in ms; after that the command gives up. */
  readonly cancelLimitMs: number;
  readonly onUpdate: (update: AgentUpdate) => void;
}

/** How often, and after how many ms, an agent is asked again that has not got the prompt yet. */
const maxRequests = 50;
const requestPause = 100;

interface PromptEnd {
  readonly stopReason: string;
  readonly text: string;
}

/** Says something to an agent of the daemon; one that did not run is started for it and stopped again. */
export async function promptInDaemon(daemon: DaemonClient, prompt: DaemonPrompt): Promise<PromptEnd> {
  const { name, text, signal, cancelLimitMs, onUpdate } = prompt;
  const params = { name };
  const { agents } = await daemon.call("agents.list", {});
  const wasRunning = agents.some((agent) => agent.name === name && agent.state === "running");
  if (!wasRunning) await daemon.call("agents.start", { params });
  const leaving = new AbortController();
  const over = new AbortController();
  const cancel = async (): Promise<void> => {
    // The prompt may still be on its way: an agent that is not at work has nothing to end, and would begin afterwards.
    for (let request = 0; request < maxRequests && !over.signal.aborted; request += 1) {
      const { wasBusy } = await daemon.call("agents.cancel", { params }).catch(() => ({ wasBusy: false }));
      if (wasBusy) break;
      await sleep(requestPause, undefined, { ref: false });
    }
    await sleep(cancelLimitMs, undefined, { ref: false });
    leaving.abort(failure(name, { message: "it was asked to end its prompt, and did not" }));
  };
  try {
    // The signal may have come while the agent started.
    signal.throwIfAborted();
    signal.addEventListener("abort", () => void cancel(), { once: true });
    for await (const event of daemon.stream("agents.prompt", { params, body: { text } }, { signal: leaving.signal })) {
      if (event.type === "done") return event as unknown as PromptEnd;
      if (event.type === "failed") throw failure(name, event["error"]);
      const { type, ...update } = event;
      onUpdate({ sessionUpdate: type, ...update } as AgentUpdate);
    }
    throw failure(name, undefined);
  } finally {
    over.abort();
    if (!wasRunning) await daemon.call("agents.stop", { params });
  }
}

function failure(name: string, error: unknown): GalleyError {
  const { message = "its answer broke off", hint } = (error ?? {}) as {
    readonly message?: string;
    readonly hint?: string;
  };
  return new GalleyError("AgentFailed", `${name}: ${message}`, hint === undefined ? {} : { hint });
}
