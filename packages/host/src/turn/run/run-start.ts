import type { UserMessage } from "@galley/engine";
import type { Branch, PlaceName } from "../places/turn-place.ts";
import type { TurnPlace } from "../services/turn-types.ts";
import type { RequestOptions } from "./run-request.ts";

/** A run that is to begin. */
export interface RunStart extends RequestOptions {
  readonly runId: string;
  /** The same when the same is asked for again. */
  readonly fingerprint: string;
  readonly place: TurnPlace;
  readonly model?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Set where what is answered is whatever was said last: that is not known while what comes before it is handed back. */
  readonly answersLastMessage?: boolean;
  /** Called when it is the run's turn in its place: what it answers may depend on what came before. */
  readonly prepare: (place: PlaceName) => Promise<PreparedRun>;
}

export interface PreparedRun {
  readonly input: UserMessage;
  readonly inputTs: number;
  readonly branch?: Branch;
}
