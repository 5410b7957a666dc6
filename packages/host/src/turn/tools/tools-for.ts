import { GalleyError, type Problem } from "@galley/engine";
import { contextTools } from "../../chat/context-tools.ts";
import { type AgentDeclaration, metaOf } from "../../config/config-schema.ts";
import { agentNamed } from "../../config/load-config.ts";
import { reservedAgentName } from "../../config/providers/agent-meta.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import { definitionOf, toolOf } from "../../config/providers/tool-definition.ts";
import { agentInjector } from "../../inject/agent-injector.ts";
import { canvasTools } from "../../inject/canvas/canvas-tools.ts";
import type { ProviderState, HiddenItem } from "../../inject/session/session-context.ts";
import type { SessionContextInjector } from "../../inject/session-context-injector.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { addServerSecrets } from "../../secrets/secret-values.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { Services } from "../services/services.ts";
import { notFound } from "../../handover/options/request-errors.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { type HandoverServices, placeHandover, taskHandover } from "./place-handover.ts";

type ToolServices = HandoverServices & Pick<Services, "config" | "chats" | "canvases" | "environment" | "tools">;
type Place = ToolContext["place"];

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
  /** The task whose place it is, as it was claimed; that of the store if absent. */
  readonly task?: Task;
}

/** The tools of a place, which every face asks for [T2]: the first of a name wins, and what nothing can run is left out. */
export async function toolsFor(
  services: ToolServices,
  place: Place,
  { chat, task }: ToolsForOptions = {},
): Promise<PlaceTools> {
  const { tools: brought } = services;
  const handover = (): Promise<readonly Tool[]> => placeHandover(services, place);
  switch (place.kind) {
    case "chat":
      return runnable([...(chat ?? chatOf(services, place.name)), ...(await handover()), ...brought]);
    case "task":
      return runnable([
        ...taskHandover(services.handover.options, task ?? (await taskNamed(services, place.name))),
        ...brought,
      ]);
    case "session":
      return runnable([...(await handover()), ...brought]);
    case "agent": {
      if (place.name !== reservedAgentName) return agentTools(services, place.name);
      const own = [
        ...chatOf(services, `agent:${place.name}`),
        ...(await handover()),
        ...canvasTools(services.canvases),
      ];
      return runnable([...own, ...brought]);
    }
  }
}

/**
 * What the sessions of a declared agent get: the tools of handover, its canvas, what the configuration says, and the tools that
 * were brought along. Each comes from a provider, which the agent can do without. The tools that switch working contexts are not
 * among them: the history of an agent is a session, or its program's own, and they would change neither.
 */
export function injectorFor(
  services: ToolServices,
  agent: AgentDeclaration,
  redactor: Redactor = services.redactor,
): SessionContextInjector {
  const { config, canvases, environment, tools } = services;
  if (!config) throw noConfiguration(agent.name);
  const provider = (name: string, getTools: () => Promise<readonly Tool[]>): ContextProvider => ({
    name,
    getTools: async () => (await getTools()).map(definitionOf),
  });
  const first = [provider("handover", () => placeHandover(services, { kind: "agent" }))];
  const last = tools.length === 0 ? [] : [provider("tools", async () => tools)];
  return agentInjector(config, agent, { redactor, environment, canvases, first, last });
}

async function agentTools(services: ToolServices, name: string): Promise<PlaceTools> {
  if (!services.config) throw noConfiguration(name);
  const agent = agentNamed(services.config, name);
  const injector = injectorFor(services, agent);
  const prepared = await injector.prepare(name, metaOf(agent), `agent:${name}`, { runnableOnly: true });
  addServerSecrets(services.redactor, prepared.mcpServers);
  const systemPrompt = prepared.systemContextAdditions.join("\n\n");
  return {
    tools: prepared.tools.map(toolOf),
    problems: [...prepared.providers.flatMap(unavailable), ...prepared.hidden.flatMap(hiddenProblem)],
    ...(systemPrompt === "" ? {} : { systemPrompt }),
  };
}

async function taskNamed({ store, project }: Pick<Services, "store" | "project">, id: string): Promise<Task> {
  const [task] = await store.tasks.read(project, [id]);
  if (task) return task;
  throw notFound("place.name", `There is no task ${JSON.stringify(id)}.`);
}

function chatOf({ chats }: Pick<Services, "chats">, key: string): readonly Tool[] {
  return contextTools(() => chats.open(key));
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

function noConfiguration(name: string): GalleyError {
  return new GalleyError("NotFound", `There is no configuration, and so no agent ${JSON.stringify(name)}.`, {
    path: "agent",
    hint: "Write a galley.config.json with the agent, or name a chat or a session instead.",
  });
}
