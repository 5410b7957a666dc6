import { GalleyError } from "@galley/engine";
import type { RouteReply } from "../../api/index.ts";
import type { AgentUpdate } from "../../agents/acp-prompt.ts";
import type { Galley } from "../../galley/galley.ts";
import type { Canvas } from "../../inject/canvas/canvas-store.ts";
import { type AgentDeclaration, agentNamed } from "../../config/load-config.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { type AgentHost, openAgentHost } from "./agent-host.ts";
import type { DaemonLog } from "../http/daemon-log.ts";
import { describeSession } from "./describe-session.ts";
import { type DaemonEvents, EventLog } from "../events/event-log.ts";
import { errorAnswer } from "../http/error-response.ts";
import { previewSession } from "./preview-session.ts";

type AgentCard = RouteReply<"agents.start">;
type AgentPage = RouteReply<"agents.get">;
type AgentPromptEvent = RouteReply<"agents.prompt">;

/** The agents of the configuration, as the daemon shows and runs them. */
export interface DaemonAgents {
  readonly host: AgentHost;
  list(): Promise<readonly AgentCard[]>;
  /** With what a session of it gets: that of the one that runs, or of one that would be started now. */
  get(name: string): Promise<AgentPage>;
  start(name: string): Promise<AgentCard>;
  stop(name: string): Promise<AgentCard>;
  /** The prompt goes on when nobody reads its events any more. */
  prompt(name: string, text: string): EventLog<AgentPromptEvent>;
  /** Asks the agent to end its prompt; false when it is at work on none. */
  cancel(name: string): boolean;
  /** Nothing when the agent never had one, or has emptied it. */
  canvas(name: string): Promise<Canvas | undefined>;
  clearCanvas(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface DaemonAgentsOptions {
  readonly galley: Galley;
  readonly events: DaemonEvents;
  readonly log: DaemonLog;
  readonly mcpUrl: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** So many updates of a prompt are kept for readers that lag behind. */
const keptUpdates = 10_000;
/** And so much of them, in characters: one update may be as long as the protocol lets it. */
const keptSize = 32_000_000;

export async function daemonAgents(options: DaemonAgentsOptions): Promise<DaemonAgents> {
  const { galley, events } = options;
  const { config, redactor, canvases } = galley;
  const host = await openHost(options);
  const { manager } = host;
  /** How full the windows of sessions are. */
  const fills = new Map<string, Fill>();
  const declared = (name: string): AgentDeclaration => agentNamed(declaredIn(config, name), name);
  const cardOf = async (name: string): Promise<AgentCard> => {
    const { archetype, backendType } = declared(name);
    const status = manager.statusOf(name);
    const canvas = await canvases.get(name).catch(() => undefined);
    const context = fills.get(status.sessionId ?? "");
    return {
      ...status,
      archetype,
      backendType,
      ...(context ? { context } : {}),
      ...(canvas && canvas.html !== "" ? { canvas: canvasFacts(canvas) } : {}),
    };
  };
  return {
    host,
    list: () => Promise.all((config?.agents ?? []).map(({ name }) => cardOf(name))),
    async get(name) {
      const agent = declared(name);
      // What a preview makes up is secret for as long as the preview lasts.
      const own = new Redactor();
      const context = manager.sessionOf(name)?.context ?? (await previewSession(galley, agent, own)).context;
      return { ...(await cardOf(name)), ...own.redact(redactor.redact(describeSession(context))) };
    },
    async start(name) {
      await manager.startAgent(declared(name).name);
      return cardOf(name);
    },
    async stop(name) {
      const { sessionId = "" } = manager.statusOf(declared(name).name);
      await manager.stopAgent(name);
      fills.delete(sessionId);
      return cardOf(name);
    },
    prompt: (name, text) =>
      promptAgent(manager, declared(name).name, text, redactor, (sessionId, fill) => {
        fills.set(sessionId, fill);
        events.tell("agent:changed", name);
      }),
    cancel: (name) => manager.cancelPrompt(declared(name).name),
    async canvas(name) {
      const canvas = await canvases.get(declared(name).name);
      return canvas?.html === "" ? undefined : canvas;
    },
    async clearCanvas(name) {
      await canvases.clear(declared(name).name);
    },
    close: () => host.close(),
  };
}

async function openHost({ galley, events, log, mcpUrl, environment }: DaemonAgentsOptions): Promise<AgentHost> {
  const { config, redactor, data: dataFolder, hooks: eventBus } = galley;
  eventBus.on("*", ({ event, agentName = "", data }) => {
    log.write(event, { agent: agentName, ...data });
    if (event.startsWith("agent:")) events.tell("agent:changed", agentName);
    if (event.startsWith("canvas:")) events.tell("canvas:changed", agentName);
  });
  return openAgentHost({
    agents: config?.agents ?? [],
    folder: config?.folder ?? process.cwd(),
    dataFolder,
    redactor,
    eventBus,
    environment,
    limits: galley.limits,
    mcpUrl,
    injectorFor: (agent) => galley.injectorFor(agent),
  });
}

interface Fill {
  readonly used: number;
  readonly size: number;
}

function promptAgent(
  manager: AgentHost["manager"],
  name: string,
  text: string,
  { redact }: Redactor,
  onFill: (sessionId: string, fill: Fill) => void,
): EventLog<AgentPromptEvent> {
  const session = manager.sessionOf(name);
  if (!session) {
    throw new GalleyError("AgentFailed", `${name} does not run.`, { path: "params.name", hint: "Start it first." });
  }
  const updates = new EventLog<AgentPromptEvent>({ kept: keptUpdates, keptSize });
  const onUpdate = (update: AgentUpdate): void => {
    if (update.sessionUpdate === "usage_update") onFill(session.sessionId, { used: update.used, size: update.size });
    const { sessionUpdate: type, ...rest } = update;
    updates.push({ type, ...rest });
  };
  void manager
    .prompt(name, text, { onUpdate })
    .then(
      (outcome) => updates.push({ type: "done", ...outcome }),
      (error: unknown) => updates.push({ type: "failed", error: errorAnswer(error, redact).body }),
    )
    .finally(() => updates.end());
  return updates;
}

export function canvasFacts({ version, title, updatedAt }: Canvas): {
  readonly version: number;
  readonly title: string;
  readonly updatedAt: number;
} {
  return { version, title, updatedAt: Date.parse(updatedAt) };
}

function declaredIn(config: Galley["config"], name = ""): NonNullable<Galley["config"]> {
  if (config) return config;
  throw new GalleyError("NotFound", `There is no agent ${JSON.stringify(name)}: there is no galley.config.`, {
    path: "params.name",
    hint: "Write a galley.config.json with agents beside the project, and start the daemon again.",
  });
}
