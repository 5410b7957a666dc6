import { resolve } from "node:path";
import { GalleyError, type Problem, type SessionEntry } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import { clientTools } from "../../chat/client-tools.ts";
import { contextTools } from "../../chat/context-tools.ts";
import { type AgentDeclaration, metaOf } from "../../config/config-schema.ts";
import { type ResolvedContextSettings, layerSettings } from "../../config/settings-in-force.ts";
import { reservedAgentName } from "../../config/providers/agent-meta.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import { definitionOf, toolOf } from "../../config/providers/tool-definition.ts";
import { agentInjector } from "../../inject/agent-injector.ts";
import type { ProviderState, HiddenItem } from "../../inject/session/session-context.ts";
import type { SessionContextInjector } from "../../inject/session-context-injector.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { addServerSecrets } from "../../secrets/secret-values.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { ServerTools, Services } from "../services/services.ts";
import {
  type LayerServices,
  agentLayer,
  placeSettings,
  profileLayers,
  sharedLayers,
} from "../services/setting-layers.ts";
import { offeredTools, ownFilter, unknownOwnTools } from "./own-tools.ts";
import { recallTool } from "./recall-tool.ts";
import { pinTool } from "./pin-tool.ts";
import { pinsOf } from "./place-pins.ts";
import { chatSource, returnedTo, sessionSource, taskNamed, taskSource } from "./recall-source.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { type HandoverServices, placeHandover, taskHandover } from "./place-handover.ts";
import type { Chat } from "../../chat/chat.ts";
import type { OwnGroup } from "./own-tool-names.ts";
import type { HandoverOptions } from "../../handover/options/handover-options.ts";

type ToolServices = HandoverServices &
  LayerServices &
  Pick<
    Services,
    "data" | "canvases" | "environment" | "events" | "tools" | "models" | "mcpServers" | "prompts" | "sessions" | "now"
  >;
type Place = ToolContext["place"];

/** The chat that all MCP clients of a data folder share, unless they name another one [A4]. */
export const clientChat = `agent:${reservedAgentName}`;

/** The tools of a place, the same for all that serve them there. */
export interface PlaceTools {
  readonly tools: readonly Tool[];
  /** What is missing, and why. */
  readonly problems: readonly Problem[];
  /** What a model is told in an agent's place. */
  readonly systemPrompt?: string;
}

export interface ToolsForOptions {
  /** The tools of a run's own chat, so that a switch reaches the run; those of the chat on disk if absent. */
  readonly chat?: readonly Tool[] | undefined;
  /** What a turn's own builds read: what left of it can be recalled before the turn is written down. */
  readonly log?: (() => readonly SessionEntry[]) | undefined;
  /** Takes a pin into what the turn's own builds read [R6]. */
  readonly onPin?: ((entry: SessionEntry) => void) | undefined;
  /** The chat of the owner's programs; `agent:local` if absent. */
  readonly sharedChat?: string | undefined;
  /** The task whose place it is, as it was claimed; that of the store if absent. */
  readonly task?: Task;
  /** Which of Galley's own tools are offered, where a turn says so; what the place is set to if absent. */
  readonly ownTools?: ResolvedContextSettings["ownTools"] | undefined;
  /**
   * Whether the MCP servers that an agent's providers name are connected, for a turn that Galley runs itself. The agent's own
   * program connects to them by itself.
   */
  readonly withServers?: boolean;
}

/** Makes the tools of Galley's own that a place has, by the groups that a setting may name, in the order in which they are listed. */
type OwnTools = Partial<Readonly<Record<OwnGroup, () => readonly Tool[] | Promise<readonly Tool[]>>>>;

/** The tools of a place, which every face asks for [T2]: the first of a name wins, and what nothing can run is left out. */
export async function toolsFor(
  services: ToolServices,
  place: Place,
  { chat, task, ownTools, log, onPin, withServers = false, sharedChat: shared = clientChat }: ToolsForOptions = {},
): Promise<PlaceTools> {
  if (place.kind === "task") {
    const running = task ?? (await taskNamed(services, place.name));
    return taskTools({ ...services, options: services.handover.options }, running, log);
  }
  const offered = ownTools ?? offeredTools(await placeSettings(services, place));
  const listed = (made: OwnTools): Promise<PlaceTools> => listedTools(made, offered, services.tools);
  const handover = (): Promise<readonly Tool[]> => placeHandover(services, place);
  switch (place.kind) {
    case "chat":
      return listed(chatTools(services, { kind: "chat", name: place.name }, { chat, log, onPin }));
    case "session":
      return listed({
        recall: () => [recallTool(sessionSource(services, place.name, { log }))],
        pins: () => [pinTool(pinsOf(services, { kind: "session", name: place.name }), onPin)],
        handover,
      });
    case "agent": {
      if (place.name !== reservedAgentName)
        return agentTools(services, place.name, { ownTools: offered, withServers, chat, log, onPin });
      const open = (): Promise<Chat> => services.chats.open(shared);
      // No canvas: pages show those of declared agents, and nobody could see this one.
      return listed({
        chat: () => clientTools(open, () => services.events.emit("chat:changed", shared)),
        recall: () => [recallTool(chatSource(open, { window: "none", tagsBeside: services.data }))],
        handover: async () => (canRunTasks(services) ? handover() : []),
      });
    }
  }
}

/** What the tools of a task are made of: a worker without a data folder has no more than this. */
type TaskToolServices = Pick<Services, "store" | "tools" | "config" | "context"> & {
  readonly options: HandoverOptions;
};

/** The tools of a task, wherever it is run. */
export function taskTools(
  services: TaskToolServices,
  task: Task,
  log?: () => readonly SessionEntry[],
): Promise<PlaceTools> {
  const made: OwnTools = {
    recall: () => [recallTool(taskSource(services.store, task, { log }))],
    handover: () => taskHandover(services.options, task, services.config?.handlers),
  };
  return listedTools(made, offeredTools(layerSettings(profileLayers(services, task)).settings), services.tools);
}

/** The tools that are offered of Galley's own, and behind them those that others bring. */
async function listedTools(
  made: OwnTools,
  offered: ResolvedContextSettings["ownTools"],
  brought: readonly Tool[],
): Promise<PlaceTools> {
  const tools: Tool[] = [];
  for (const [group, make] of groupsIn(made)) tools.push(...ownFilter(offered)(group, await make()));
  const { problems, ...rest } = runnable([...tools, ...brought]);
  return { ...rest, problems: [...problems, ...unknownOwnTools(offered, tools)] };
}

function groupsIn(made: OwnTools): readonly [OwnGroup, NonNullable<OwnTools[OwnGroup]>][] {
  return Object.entries(made) as [OwnGroup, NonNullable<OwnTools[OwnGroup]>][];
}

/** What a chat has, and an agent in its own chat. */
function chatTools(
  services: ToolServices,
  place: { readonly kind: "chat" | "agent"; readonly name: string },
  given: Pick<ToolsForOptions, "chat" | "log" | "onPin"> | undefined,
): OwnTools {
  const key = chatKeyOf(place);
  const open = (): Promise<Chat> => services.chats.open(key);
  const returned = returnedTo(services, `${place.kind}:${place.name}`);
  // An agent's own program has a window that we do not know: all that was said may have left it.
  const source = chatSource(open, { returned, ...(given ? { log: given.log } : { window: "none" }) });
  return {
    chat: () => given?.chat ?? (place.kind === "agent" ? acpChatTools(services, place.name) : contextTools(open)),
    recall: () => [recallTool(source)],
    // Its own program builds what its model reads, and knows no pins.
    ...(given && { pins: () => [pinTool(pinsOf(services, place), given.onPin)] }),
    handover: () => placeHandover(services, place),
  };
}

/**
 * What the sessions of a declared agent get: the tools of its chat and of handover, its canvas, what the configuration says, and
 * the tools that were brought along. Each comes from a provider, which the agent can do without.
 */
export function injectorFor(
  services: ToolServices,
  agent: AgentDeclaration,
  redactor: Redactor = services.redactor,
  inOwnLoop?: Pick<ToolsForOptions, "chat" | "log" | "onPin"> & Required<Pick<ToolsForOptions, "ownTools">>,
): SessionContextInjector {
  const { config, agents, canvases, environment, tools } = services;
  const place = { kind: "agent", name: agent.name } as const;
  const { settings } = layerSettings([...sharedLayers(services), agentLayer(services, place)]);
  const own = ownFilter(inOwnLoop?.ownTools ?? offeredTools(settings));
  const provider = (name: string, getTools: () => Promise<readonly Tool[]>): ContextProvider => ({
    name,
    getTools: async () => (await getTools()).map(definitionOf),
  });
  const first = [
    ...(inOwnLoop || settings.systemPrompt === undefined ? [] : [systemPromptProvider(settings.systemPrompt)]),
    ...groupsIn(chatTools(services, place, inOwnLoop)).map(([group, make]) =>
      provider(group, async () => own(group, await make())),
    ),
  ];
  const last = tools.length === 0 ? [] : [provider("tools", async () => tools)];
  const isOffered = (tool: Tool): boolean => own("canvas", [tool]).length > 0;
  const declared = { folder: agents.folder, providers: config?.providers ?? [] };
  return agentInjector(declared, agent, { redactor, environment, canvases, isOffered, first, last });
}

/** The context tools of an agent over ACP: its session is another one from the next prompt on [A6]. */
function acpChatTools(
  { chats, prompts, events }: Pick<Services, "chats" | "prompts" | "events">,
  name: string,
): readonly Tool[] {
  const key = chatKeyOf({ kind: "agent", name });
  return contextTools(() => chats.open(key), {
    isInRun: true,
    isDelayed: true,
    input: () => prompts.get(name)?.message,
    onSwitch: () => events.emit("chat:changed", key),
  });
}

/** For an agent whose own program calls its model: in our own loop, the build puts the system prompt in front. */
function systemPromptProvider(text: string): ContextProvider {
  return { name: "system-prompt", getSystemContext: () => text };
}

async function agentTools(
  services: ToolServices,
  name: string,
  { withServers, ...inLoop }: Parameters<typeof injectorFor>[3] & { readonly withServers: boolean },
): Promise<PlaceTools> {
  const agent = services.agents.named(name);
  const injector = injectorFor(services, agent, services.redactor, inLoop);
  const prepared = await injector.prepare(name, metaOf(agent), `agent:${name}`, { runnableOnly: true });
  addServerSecrets(services.redactor, prepared.mcpServers);
  const systemPrompt = prepared.systemContextAdditions.join("\n\n");
  const servers = withServers ? prepared.mcpServers : [];
  const folder = resolve(services.agents.folder, agent.cwd ?? ".");
  const given = await Promise.all(servers.map((server) => services.mcpServers.tools(server, folder)));
  const { tools, problems } = withServerTools(prepared.tools.map(toolOf), servers, given);
  return {
    tools,
    problems: [...prepared.providers.flatMap(unavailable), ...prepared.hidden.flatMap(hiddenProblem), ...problems],
    ...(systemPrompt === "" ? {} : { systemPrompt }),
  };
}

/** The tools of MCP servers behind the others. One whose name is taken has its server's name in front. */
function withServerTools(
  own: readonly Tool[],
  servers: readonly { readonly name: string }[],
  given: readonly ServerTools[],
): ServerTools {
  const names = new Set(own.map(({ name }) => name));
  const added = given.flatMap(({ tools }, index) =>
    tools.flatMap((tool): Tool[] => {
      const prefix = (servers[index]?.name ?? "").replaceAll(/[^a-zA-Z0-9_-]/gu, "_");
      const free = [tool.name, `${prefix}_${tool.name}`.slice(0, 64)].find((name) => !names.has(name));
      if (free === undefined) return [];
      names.add(free);
      return [{ ...tool, name: free }];
    }),
  );
  return { tools: [...own, ...added], problems: given.flatMap(({ problems }) => problems) };
}

/** Whether the worker that starts with the first task has a model that it can ask [A7]. */
function canRunTasks({ models }: Pick<Services, "models">): boolean {
  try {
    models.resolve(models.defaultId);
    return true;
  } catch (error) {
    if (error instanceof GalleyError) return false;
    throw error;
  }
}

function runnable(tools: readonly Tool[]): PlaceTools {
  const first = tools.filter(({ name }, index) => tools.findIndex((other) => other.name === name) === index);
  const left = first.filter(({ execute }) => !execute);
  return {
    tools: first.filter(({ execute }) => execute),
    problems: left.map(({ name }) => notRunnable(name, "it brings no execute")),
  };
}

function unavailable(state: ProviderState): readonly Problem[] {
  if (state.status === "ready") return [];
  const { name, reason } = state;
  return [{ severity: "warning", code: "ProviderFailed", message: `${name} gave nothing: ${reason}`, path: name }];
}

function hiddenProblem({ name, rule, reason }: HiddenItem): readonly Problem[] {
  return rule === "not-runnable" ? [notRunnable(name, reason)] : [];
}

function notRunnable(name: string, reason: string): Problem {
  const message = `The model is not told of the tool ${name}, which nothing here can run: ${reason}.`;
  return { severity: "warning", code: "ToolFailed", message, path: name };
}
