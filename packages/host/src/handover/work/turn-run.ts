import type { JsonValue, ModelMessage, ToolCallPart } from "@galley/engine";
import type { Turn } from "../../store/ports/turn-store.ts";
import type { TurnBuild } from "./build-turn.ts";
import type { Caller } from "../options/caller.ts";

/** One attempt at a turn, as whoever runs it sees it. */
export interface TurnRun {
  readonly turn: Turn;
  /** What the model reads now. */
  readonly build: TurnBuild;
  /** Calls of this turn that have no result yet: an earlier attempt made them, or they waited for a fork. Serve them first. */
  readonly openCalls: readonly ToolCallPart[];
  /** Whom to name when a tool is called; the id of the call belongs in it. */
  readonly caller: Caller;
  /** Aborted when the turn is lost, cancelled, past its deadline, or the worker stops. */
  readonly signal: AbortSignal;
  /** Keeps messages of this turn for good, so that another attempt goes on behind them; gives what the model reads then. */
  record(messages: readonly ModelMessage[]): Promise<TurnRun>;
}

/** How an attempt ends; when it throws, the turn is tried again. */
export type TurnOutcome =
  | {
      readonly status: "done";
      /** The last messages, which are recorded together with the result. */
      readonly messages?: readonly ModelMessage[];
      /** Without one, it is taken from the last message. */
      readonly result?: JsonValue;
    }
  /** A tool has parked the turn; it is run again when what it waits for is there. */
  | { readonly status: "suspended" };

/** Runs one attempt at a turn. The agent loop plugs in here. */
export type RunTurn = (run: TurnRun) => Promise<TurnOutcome>;

/** The calls among messages that have no result, in order. */
export function openCallsOf(messages: readonly ModelMessage[]): ToolCallPart[] {
  const open: ToolCallPart[] = [];
  for (const { role, content } of messages) {
    if (role === "user") open.length = 0;
    if (typeof content === "string") continue;
    for (const part of content) {
      if (part.type === "tool-call" && !part.providerExecuted) open.push(part);
      if (part.type !== "tool-result") continue;
      const answered = open.findLastIndex((call) => call.toolCallId === part.toolCallId);
      if (answered >= 0) open.splice(answered, 1);
    }
  }
  return open;
}
