import {
  type AssistantMessage,
  GalleyError,
  type InputMessage,
  type ModelMessage,
  type SessionEntry,
} from "@galley/engine";
import type { TurnPlace } from "../services/turn-types.ts";
import type { Tool, ToolCaller } from "../../tools/tool.ts";

/** What is said in a place, and what a turn adds to it. */
interface PlaceLog {
  /** The session that its builds belong to. */
  readonly session: string;
  /** What a build reads: the history, and what earlier builds of this turn decided. */
  entries(): readonly SessionEntry[];
  /** Messages that are not among the entries yet. */
  pending(): readonly InputMessage[];
  /** Keeps what a build decided, before the model is called. */
  keepDecisions(entries: readonly SessionEntry[]): Promise<void>;
  /** Replies with calls and their results, since the last switch of the context [W11]. */
  steps(): readonly ModelMessage[];
  /** Takes in a step: an assistant message with calls, together with their results. */
  add(messages: readonly ModelMessage[]): void;
  /** How often the context was switched in this turn, by all processes that worked on it. */
  switches(): number;
}

/** A turn under way in its place, as the loop sees it: a chat, a session, the session of an agent, or a task. */
export interface LoopPlace extends PlaceLog {
  readonly systemPrompt?: string | undefined;
  readonly tools: readonly Tool[];
  /** In whose name the tools are called. */
  readonly caller: ToolCaller;
}

/** The log of a chat or a session, in which somebody waits for the reply. */
export interface AnsweredLog extends PlaceLog {
  /** A time for the reply. */
  nextTime(): number;
  /** Once, unless it fails. */
  commit(reply: AssistantMessage, ts: number): Promise<void>;
  fail(): Promise<void>;
}

/** A turn under way in a place that somebody talks in. */
export type OpenPlace = AnsweredLog & LoopPlace;

/** A turn answers a new message, or one that was answered before [M6]. */
export interface Branch {
  /** The message of the user that is regenerated or edited. */
  readonly from: string;
  /** The last message that there was when it began: what others say meanwhile stays. */
  readonly to?: string | undefined;
  readonly kind: "regenerate" | "edit";
}

/** What a place is opened with. */
export interface PlaceRequest {
  readonly runId: string;
  readonly input: InputMessage & { readonly role: "user" };
  readonly inputTs: number;
  readonly branch?: Branch | undefined;
  /** For a turn that another process began: what it had done. */
  readonly resumed?: { readonly steps: readonly ModelMessage[]; readonly switches: number } | undefined;
  /** About how many tokens a build can use: more need not be read. */
  readonly windowTokens: number;
}

export type PlaceName =
  | { readonly kind: "chat"; readonly name: string; readonly session: string }
  | { readonly kind: "agent"; readonly name: string; readonly session: string }
  | { readonly kind: "session"; readonly name: string; readonly session: string };

const ownPrefixes = ["chat:", "agent:", "task:"];

/** The one place that a request names. */
export function placeOf({ chat, agent, session }: TurnPlace): PlaceName {
  const named = Object.entries({ chat, agent, session }).filter(([, name]) => name !== undefined);
  if (named.length !== 1) {
    const given = named.length === 0 ? "none" : named.map(([kind]) => kind).join(" and ");
    throw new GalleyError("BadRequest", `A turn belongs to a chat, an agent or a session; ${given} was named.`, {
      path: "chat",
      hint: 'Name exactly one, e.g. {"chat": "demo"}.',
    });
  }
  if (chat !== undefined) return { kind: "chat", name: chat, session: `chat:${chat}` };
  if (agent !== undefined) return { kind: "agent", name: agent, session: `agent:${agent}` };
  const name = session ?? "";
  if (name !== "" && name.length <= 500 && !ownPrefixes.some((prefix) => name.startsWith(prefix)))
    return { kind: "session", name, session: name };
  throw new GalleyError("InvalidId", `${JSON.stringify(name)} cannot be the name of a session.`, {
    path: "session",
    hint: `Use 1 to 500 characters that do not begin with ${ownPrefixes.join(", ")}: those are sessions of our own.`,
  });
}
