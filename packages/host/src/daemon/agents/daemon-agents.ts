import { resolve } from "node:path";
import { GalleyError } from "@galley/engine";
import type { RouteReply } from "../../api/index.ts";
import type { AgentUpdate } from "../../agents/acp-prompt.ts";
import type { Galley } from "../../galley/galley.ts";
import type { Canvas } from "../../inject/canvas/canvas-store.ts";
import { type ListedAgent, type NewAgent, programOf } from "../../config/agent-list.ts";
import { contextProviderName } from "../../config/config-schema.ts";
import { commandLine } from "../../secrets/command-line.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { type AgentHost, openGalleyAgents } from "./agent-host.ts";
import type { DaemonLog } from "../http/daemon-log.ts";
import { describeSession, previewSession } from "./preview-session.ts";
import { type DaemonEvents, EventLog } from "../events/event-log.ts";
import { errorAnswer } from "../http/error-response.ts";
import { isNamed } from "../../disk/kept-list.ts";

type AgentCard = RouteReply<"agents.start">;
type AgentPage = RouteReply<"agents.get">;
type AgentPromptEvent = RouteReply<"agents.prompt">;

export interface DaemonAgentsOptions {
  readonly galley: Galley;
  readonly events: DaemonEvents;
  readonly log: DaemonLog;
  readonly mcpUrl: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type DaemonAgents = Awaited<ReturnType<typeof daemonAgents>>;

/** How many updates of a prompt are kept for readers that lag behind. */
const keptUpdates = 10_000;
/** How much of them is kept, in characters: one update may be as long as the protocol lets it. */
const keptSize = 32_000_000;

/** The agents, as the daemon shows and runs them. */
export async function daemonAgents({ galley, events, log, mcpUrl, environment }: DaemonAgentsOptions) {
  const { agents, canvases } = galley;
  galley.hooks.on("*", ({ event, agentName = "", data }) => {
    log.write(event, { agent: agentName, ...data });
    if (event.startsWith("agent:")) events.tell("agent:changed", agentName);
    if (event.startsWith("canvas:")) events.tell("canvas:changed", agentName);
  });
  const host = await openGalleyAgents(galley, { environment, mcpUrl });
  const { manager } = host;
  const prompts = promptsUnderWay(manager, galley, (name) => events.tell("agent:changed", name));
  const { cardOf, pageOf } = agentPages(galley, manager, prompts);
  const nameOf = (name: string): string => agents.named(name).name;
  return {
    host,
    list: (): Promise<readonly AgentCard[]> => Promise.all(agents.list().map(({ agent }) => cardOf(agent.name))),
    get: pageOf,
    async start(name: string): Promise<AgentCard> {
      await manager.startAgent(nameOf(name));
      return cardOf(name);
    },
    async stop(name: string): Promise<AgentCard> {
      const { sessionId = "" } = manager.statusOf(nameOf(name));
      await manager.stopAgent(name);
      prompts.fills.delete(sessionId);
      return cardOf(name);
    },
    /** One that runs goes on as it was changed; a start that fails is on its card. */
    async save(given: NewAgent): Promise<AgentCard> {
      const { name } = agents.plan(given).agent;
      const isRunning = agents.find(name) !== undefined && manager.statusOf(name).state !== "stopped";
      if (isRunning) await manager.stopAgent(name);
      await agents.save(given);
      if (isRunning) await manager.startAgent(name).catch(() => undefined);
      return cardOf(name);
    },
    async remove(name: string): Promise<void> {
      const own = agents.list().find(({ agent, from }) => from === "added" && isNamed(agent.name, name));
      if (own) await manager.stopAgent(own.agent.name);
      await agents.remove(name);
    },
    /** The prompt goes on when its events are read no longer. */
    prompt: (name: string, text: string): EventLog<AgentPromptEvent> => prompts.ask(nameOf(name), text),
    /** The events of the prompt under way. */
    following: (name: string): EventLog<AgentPromptEvent> | undefined => prompts.asked.get(nameOf(name))?.updates,
    /** Asks the agent to end its prompt; false when it is at work on none. */
    cancel: (name: string): boolean => manager.cancelPrompt(nameOf(name)),
    /** Nothing when the agent never had one, or has emptied it. */
    async canvas(name: string): Promise<Canvas | undefined> {
      const canvas = await canvases.get(nameOf(name));
      return canvas?.html === "" ? undefined : canvas;
    },
    async clearCanvas(name: string): Promise<void> {
      await canvases.clear(nameOf(name));
    },
    close: (): Promise<void> => host.close(),
  };
}

/** How agents are shown: as cards, and whole. */
function agentPages(galley: Galley, manager: AgentHost["manager"], { fills, asked }: PromptsUnderWay) {
  const { agents, redactor, canvases } = galley;
  const listed = (name: string): ListedAgent => {
    const agent = agents.named(name);
    return agents.list().find((one) => one.agent === agent) ?? { agent, from: "added" };
  };
  const cardOf = async (name: string): Promise<AgentCard> => {
    const { agent, from } = listed(name);
    const { archetype, backendType } = agent;
    const status = manager.statusOf(name);
    const canvas = await canvases.get(name).catch(() => undefined);
    const context = fills.get(status.sessionId ?? "");
    return {
      ...status,
      from,
      archetype,
      backendType,
      ...(context ? { context } : {}),
      ...(canvas && canvas.html !== "" ? { canvas: canvasFacts(canvas) } : {}),
    };
  };
  return {
    cardOf,
    /** With what a session of it gets: that of the one that runs, or of one that would be started now. */
    pageOf: async (name: string): Promise<AgentPage> => {
      const { agent } = listed(name);
      // What a preview makes up is secret for as long as the preview lasts.
      const own = new Redactor();
      const context = manager.sessionOf(name)?.context ?? (await previewSession(galley, agent, own)).context;
      const { text } = asked.get(name) ?? {};
      const declared = describeAgent(agent, agents.folder);
      return {
        ...(await cardOf(name)),
        ...(text === undefined ? {} : { asked: redactor.redact(text) }),
        ...own.redact(redactor.redact({ declared, ...describeSession(context) })),
      };
    },
  };
}

interface AskedPrompt {
  readonly text: string;
  readonly updates: EventLog<AgentPromptEvent>;
}

interface Fill {
  readonly used: number;
  readonly size: number;
}

interface PromptsUnderWay {
  /** How full the windows of sessions are. */
  readonly fills: Map<string, Fill>;
  /** What agents are at work on, by their names. */
  readonly asked: ReadonlyMap<string, AskedPrompt>;
  ask(name: string, text: string): EventLog<AgentPromptEvent>;
}

function promptsUnderWay(
  manager: AgentHost["manager"],
  { redactor: { redact } }: Galley,
  onChange: (name: string) => void,
): PromptsUnderWay {
  const fills = new Map<string, Fill>();
  const asked = new Map<string, AskedPrompt>();
  const ask = (name: string, text: string): EventLog<AgentPromptEvent> => {
    const session = manager.sessionOf(name);
    if (!session) {
      throw new GalleyError("AgentFailed", `${name} does not run.`, { path: "params.name", hint: "Start it first." });
    }
    const updates = new EventLog<AgentPromptEvent>({ kept: keptUpdates, keptSize });
    const onUpdate = (update: AgentUpdate): void => {
      if (update.sessionUpdate === "usage_update") {
        fills.set(session.sessionId, { used: update.used, size: update.size });
        onChange(name);
      }
      const { sessionUpdate: type, ...rest } = update;
      updates.push({ type, ...rest });
    };
    const answered = manager.prompt(name, text, { onUpdate }).then(
      (outcome) => updates.push({ type: "done", ...outcome }),
      (error: unknown) => updates.push({ type: "failed", error: errorAnswer(error, redact).body }),
    );
    // One that is refused because another is under way does not take its place.
    const isFirst = !asked.has(name);
    if (isFirst) asked.set(name, { text, updates });
    void answered.finally(() => {
      if (isFirst) asked.delete(name);
      updates.end();
    });
    return updates;
  };
  return { fills, asked, ask };
}

export function canvasFacts({ version, title, updatedAt }: Canvas): NonNullable<AgentCard["canvas"]> {
  return { version, title, updatedAt: Date.parse(updatedAt) };
}

/** What was declared of an agent, as a page shows it: no values of variables, no keys in arguments. */
function describeAgent(agent: ListedAgent["agent"], folder: string): AgentPage["declared"] {
  const { archetype, workspacePolicy, permissions, withoutProviders, model, preset } = agent;
  const program = programOf(agent);
  return {
    program,
    command: commandLine([agent.command, ...agent.args], agent.env),
    cwd: resolve(folder, agent.cwd ?? "."),
    env: Object.keys(agent.env),
    model,
    preset,
    archetype,
    workspacePolicy,
    permissions,
    withoutProviders,
    providers: agent.providers.map(contextProviderName),
  };
}
