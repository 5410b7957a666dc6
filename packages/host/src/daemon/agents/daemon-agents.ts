import { GalleyError } from "@galley/engine";
import type { RouteReply } from "../../api/index.ts";
import type { AgentUpdate } from "../../agents/acp-prompt.ts";
import type { Galley } from "../../galley/galley.ts";
import type { Canvas } from "../../inject/canvas/canvas-store.ts";
import { type AgentDeclaration, agentNamed } from "../../config/load-config.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { type AgentHost, openGalleyAgents } from "./agent-host.ts";
import type { DaemonLog } from "../http/daemon-log.ts";
import { describeSession, previewSession } from "./preview-session.ts";
import { type DaemonEvents, EventLog } from "../events/event-log.ts";
import { errorAnswer } from "../http/error-response.ts";

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

/** The agents of the configuration, as the daemon shows and runs them. */
export async function daemonAgents({ galley, events, log, mcpUrl, environment }: DaemonAgentsOptions) {
  const { config, redactor, canvases } = galley;
  galley.hooks.on("*", ({ event, agentName = "", data }) => {
    log.write(event, { agent: agentName, ...data });
    if (event.startsWith("agent:")) events.tell("agent:changed", agentName);
    if (event.startsWith("canvas:")) events.tell("canvas:changed", agentName);
  });
  const host = await openGalleyAgents(galley, { environment, mcpUrl });
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
    list: (): Promise<readonly AgentCard[]> => Promise.all((config?.agents ?? []).map(({ name }) => cardOf(name))),
    /** With what a session of it gets: that of the one that runs, or of one that would be started now. */
    async get(name: string): Promise<AgentPage> {
      const agent = declared(name);
      // What a preview makes up is secret for as long as the preview lasts.
      const own = new Redactor();
      const context = manager.sessionOf(name)?.context ?? (await previewSession(galley, agent, own)).context;
      return { ...(await cardOf(name)), ...own.redact(redactor.redact(describeSession(context))) };
    },
    async start(name: string): Promise<AgentCard> {
      await manager.startAgent(declared(name).name);
      return cardOf(name);
    },
    async stop(name: string): Promise<AgentCard> {
      const { sessionId = "" } = manager.statusOf(declared(name).name);
      await manager.stopAgent(name);
      fills.delete(sessionId);
      return cardOf(name);
    },
    /** The prompt goes on when its events are read no longer. */
    prompt: (name: string, text: string): EventLog<AgentPromptEvent> =>
      promptAgent(manager, declared(name).name, text, redactor, (sessionId, fill) => {
        fills.set(sessionId, fill);
        events.tell("agent:changed", name);
      }),
    /** Asks the agent to end its prompt; false when it is at work on none. */
    cancel: (name: string): boolean => manager.cancelPrompt(declared(name).name),
    /** Nothing when the agent never had one, or has emptied it. */
    async canvas(name: string): Promise<Canvas | undefined> {
      const canvas = await canvases.get(declared(name).name);
      return canvas?.html === "" ? undefined : canvas;
    },
    async clearCanvas(name: string): Promise<void> {
      await canvases.clear(declared(name).name);
    },
    close: (): Promise<void> => host.close(),
  };
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

export function canvasFacts({ version, title, updatedAt }: Canvas): NonNullable<AgentCard["canvas"]> {
  return { version, title, updatedAt: Date.parse(updatedAt) };
}

function declaredIn(config: Galley["config"], name = ""): NonNullable<Galley["config"]> {
  if (config) return config;
  throw new GalleyError("NotFound", `There is no agent ${JSON.stringify(name)}: there is no galley.config.`, {
    path: "params.name",
    hint: "Write a galley.config.json with agents beside the project, and start the daemon again.",
  });
}
