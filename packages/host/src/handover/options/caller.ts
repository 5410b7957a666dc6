import type { Hold, TaskOrigin } from "../../store/ports/task-store.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { derivedId } from "./new-id.ts";

/** Who asks. It comes from a token, from the place of a run or from the running task, never from arguments [A4]. */
export interface Caller {
  readonly projectId: string;
  /**
   * Whose tasks and boxes are whose [H6]: `person`, `chat:KEY`, `session:ID`, `mcp:CLIENT`, `agent:NAME` for an agent of the
   * configuration, else the id of an agent that was handed a task. Each kind has its own prefix, so that none can pass for another.
   */
  readonly id: string;
  /** The running task in which it asks; without one, what it starts is a root. */
  readonly hold?: Hold;
  /** The id of the tool call. Within one task or run, the same call is served once, however often it is made. */
  readonly callId?: string;
  /** The run of a chat or session in which it is asked, where there is no task. */
  readonly runId?: string;
  /** What was said in its place, for an expert that is asked [A3]. */
  readonly history?: ToolContext["history"];
  /** Where the results of what it starts return to [A1]; nothing for the person, and for a task that is its own place. */
  readonly origin?: TaskOrigin | undefined;
  /** The model that the caller uses; what is started uses it too, where its profile names none. */
  readonly model?: string | undefined;
  /** The model that what is started uses, whatever its profile names. */
  readonly chosenModel?: string | undefined;
  /** A fork waits in the call until all have ended; without it, the fork is only started. */
  readonly waiting?: "block";
  readonly signal?: AbortSignal;
}

/** A call of a running task that can be made again, and finds its fork then. */
export interface TaskCaller extends Caller {
  readonly hold: Hold;
  readonly callId: string;
}

/** The person whose project it is, who may use all of it. Only REST, the command, Studio and the library act for them. */
export const person = "person";

export function isPerson({ id }: Pick<Caller, "id">): boolean {
  return id === person;
}

const maxNameLength = 100;

/**
 * A program that comes over MCP or JSON-RPC with the owner's token, by the name that it says of itself. What no name needs is
 * taken out, because models are told the name.
 */
export function mcpCaller(client: string | undefined): string {
  const name = (client ?? "").replaceAll(/[^\p{L}\p{N}._@/-]+/gu, " ").trim();
  return `mcp:${name.slice(0, maxNameLength).toWellFormed().trim() || "unnamed"}`;
}

const kinds: Readonly<Record<string, string>> = {
  chat: "the chat",
  session: "the session",
  mcp: "the MCP client",
  agent: "the agent",
};

/** What the model of a task is told about the caller that gave it. */
export function giverText(id: string): string {
  if (id === person) return "You work for a person, who has handed you this task and gets your result.";
  const [, prefix = "", name = ""] = /^(\w+):(.*)$/s.exec(id) ?? [];
  const giver = Object.hasOwn(kinds, prefix) ? `${kinds[prefix]} ${name}` : `the agent ${id}`;
  return `You work for ${giver}, which has handed you this task and gets your result.`;
}

/** Where a task that this caller starts comes from [A1]. */
export function originOf({ origin, hold, callId }: Caller): TaskOrigin | undefined {
  return hold ? { place: `task:${hold.taskId}`, turnId: hold.taskId, callId } : origin;
}

/** The id of what a call starts: the same when the call is made again, where it can be told. */
export function startedId({ projectId, hold, runId, callId }: Caller): string | undefined {
  const within = hold?.taskId ?? runId;
  return within === undefined || callId === undefined ? undefined : derivedId(projectId, within, callId);
}
