import {
  type AssistantMessage,
  GalleyError,
  type InputMessage,
  type JsonValue,
  type ModelMessage,
  type SessionEntry,
  type Tally,
} from "@galley/engine";
import { agentOfChat, parsePlaceId, placeKinds, sessionIdOf } from "../../api/place-id.ts";
import { checkChatKey } from "../../chat/lines/chat-paths.ts";
import { reservedAgentName } from "../../config/providers/agent-meta.ts";
import type { SwitchSettings } from "../../chat/contexts/context-types.ts";
import type { ResolvedContextSettings } from "../../config/settings-in-force.ts";
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
  /** Steps of earlier turns that the place has not kept: how many messages they were [T8]. */
  unkept?(): Tally;
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
  /** Takes in what was written to the place beside the turn: its later builds read it. */
  take(entry: SessionEntry): void;
  /** The message or entry by which the turn is found again once it is committed [A1]. */
  readonly anchor: string;
  /** A time for the reply. */
  nextTime(): number;
  /** What another process must know to go on in this place, besides the steps. */
  state(): JsonValue;
  /** Writes the exchange, once unless it fails. Nothing that was said is written before [T6]. */
  commit(end: TurnEnd): Promise<void>;
  fail(): Promise<void>;
}

export interface TurnEnd {
  readonly reply: AssistantMessage;
  readonly ts: number;
  /** What to do when the place has got a message or a switch since the turn was opened [T6]. */
  readonly onConflict: "fail" | "append";
  /** Set when a person stopped it [T17]. */
  readonly isStopped?: boolean;
  /** What a chat keeps of the steps [T8]. */
  readonly steps?: KeptSteps | undefined;
  /** Names the turn and what was committed: a chat finds the same commit again by it [T7]. */
  readonly mark?: string | undefined;
}

/** Whether a chat keeps the steps of a turn, and what they cost. */
export interface KeptSteps {
  readonly isKept: boolean;
  readonly tokens: number;
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

export interface PlaceRequest {
  readonly runId: string;
  readonly input: InputMessage & { readonly role: "user" };
  readonly inputTs: number;
  readonly branch?: Branch | undefined;
  /** For a turn that another process began: what it had done. */
  readonly resumed?: ResumedTurn | undefined;
  /** Tools of this turn alone [T9]. */
  readonly tools?: readonly Tool[] | undefined;
  /** About how many tokens a build can use: more need not be read. */
  readonly windowTokens: number;
  /** What is in force when a context is switched; what the chat says if absent. */
  readonly switching?: SwitchSettings | undefined;
  /** Which of Galley's own tools are offered; as the place is set if absent. */
  readonly ownTools?: ResolvedContextSettings["ownTools"] | undefined;
}

/** What another process had done of a turn. */
export interface ResumedTurn {
  readonly steps: readonly ModelMessage[];
  readonly switches: number;
  /** What `state` gave. */
  readonly state?: JsonValue | undefined;
}

export interface PlaceName {
  readonly kind: "chat" | "agent" | "session";
  readonly name: string;
  /** The session under which its calls are recorded. */
  readonly session: string;
}

/** The place that keeps its history in a chat. The chat of the owner's own programs is a chat like any other. */
export function placeOfChat(key: string): PlaceName {
  const name = agentOfChat(key);
  return name === undefined || name === reservedAgentName ? placeName("chat", key) : placeName("agent", name);
}

function placeName(kind: PlaceName["kind"], name: string): PlaceName {
  return { kind, name, session: sessionIdOf({ kind, name }) };
}

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
  if (chat !== undefined) return placeName("chat", checkChatKey(chat));
  if (agent !== undefined) return placeName("agent", agent);
  const { kind, name } = parsePlaceId(session ?? "");
  // A bare id that began with a kind would be read as another place.
  const isBare = kind === "session" && parsePlaceId(name).name === name;
  if (isBare && name !== "" && name.length <= 500) return placeName("session", name);
  throw new GalleyError("InvalidId", `${JSON.stringify(session)} cannot be the name of a session.`, {
    path: "session",
    hint: `Use 1 to 500 characters that do not begin with ${placeKinds.map((one) => `${one}:`).join(" or ")}. Name a chat by chat, and an agent by agent.`,
  });
}

/** A place that is looked at, or that its owner changes, rather than talked in: chats of agents are such places too. */
export function ownedPlace(place: TurnPlace): PlaceName {
  return place.chat === undefined ? placeOf(place) : placeOfChat(place.chat);
}

/** The place whose records a session's id names: a chat, an agent, or the plain session of that id. */
export function placeOfSession(id: string): TurnPlace {
  const { kind, name } = parsePlaceId(id);
  return kind === "chat" || kind === "agent" ? { [kind]: name } : { session: id };
}
