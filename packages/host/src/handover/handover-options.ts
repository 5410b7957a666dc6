import type { Store } from "../store/ports.ts";
import type { Hold } from "../store/turn-store.ts";
import type { HandoverLimits } from "./limits.ts";
import { handoverLimitsSchema } from "./limits.ts";
import { derivedId, newId } from "./new-id.ts";

/** What handover works with. */
export interface HandoverOptions {
  readonly store: Store;
  readonly limits?: Partial<HandoverLimits>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** The same with every default in place. */
export interface Handover {
  readonly store: Store;
  readonly limits: HandoverLimits;
  readonly now: () => number;
  readonly newId: () => string;
}

export function openHandover({ store, limits = {}, now = Date.now, newId: makeId }: HandoverOptions): Handover {
  return { store, limits: handoverLimitsSchema.parse(limits), now, newId: makeId ?? (() => newId(now())) };
}

/** Who asks. It comes from a token or from the running turn, never from arguments. */
export interface Caller {
  readonly projectId: string;
  /** `null` for a person, who may use every box of the project. */
  readonly agentId: string | null;
  /** The running turn in which it asks; without one, what it starts is a root. */
  readonly hold?: Hold;
  /** The id of the tool call. Within one turn or run, the same call is served once, however often it is made. */
  readonly callId?: string;
  /** The run of a chat or session in which it is asked, where there is no turn. */
  readonly runId?: string;
  /** The model that whoever asks uses; what is started uses it too. */
  readonly model?: string | undefined;
  /**
   * What a fork does with its caller: `suspend` parks the turn until the batch is closed and needs a hold and a call id, `block` waits
   * in the call, and without either the batch is only started.
   */
  readonly waiting?: "suspend" | "block";
  readonly signal?: AbortSignal;
}

/** The id of what a call starts: the same when the call is made again, where it can be told. */
export function startedId({ projectId, hold, runId, callId }: Caller): string | undefined {
  const within = hold?.turnId ?? runId;
  return within === undefined || callId === undefined ? undefined : derivedId(projectId, within, callId);
}

/** How a person is called where a card needs an author. */
export const person = "person";

export function authorOf({ agentId }: Caller): string {
  return agentId ?? person;
}
