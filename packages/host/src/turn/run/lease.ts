import { GalleyError } from "@galley/engine";
import { messageOf } from "../../disk/storage-error.ts";

/** Work that is stored, and that one process holds for a while: a run or a task. */
export interface HeldWork {
  /** The heart-beat. False when another process has it, or it has ended. */
  readonly renew: () => Promise<boolean>;
  /** Called when it is not ours any more; again if that fails. */
  readonly onLost: () => void | Promise<void>;
  /** A store that is away for a moment does no harm: the lease lasts longer than that. */
  readonly onError?: (error: unknown) => void;
}

/** Says again and again that the work goes on, three times in each lease; gives the function that ends it. */
export function keepLease({ renew, onLost, onError = () => undefined }: HeldWork, leaseMs: number): () => void {
  let isOver = false;
  const beat = async (): Promise<void> => {
    if (isOver || (await renew()) || isOver) return;
    await onLost();
    isOver = true;
  };
  const timer = setInterval(() => void beat().catch(onError), leaseMs / 3).unref();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

export function lostError(kind: "run" | "task", id: string): GalleyError {
  const message = `The ${kind} ${id} is no longer ours: another process has taken it over, or it has ended.`;
  return new GalleyError(kind === "run" ? "RunLost" : "TaskLost", message);
}

/** Whether an error says that another process has the work, or that it has ended. */
function isLost(error: unknown): boolean {
  return error instanceof GalleyError && (error.code === "RunLost" || error.code === "TaskLost");
}

/** How held work can end without an answer. */
export interface GivingUp<Ended> {
  /** Whether another process is to go on with it, because this one stops. */
  readonly isHandedBack: boolean;
  readonly release: () => Promise<void>;
  /** Writes down why there is none. */
  readonly fail: () => Promise<Ended>;
}

/** Work that an error has ended: another process has it by now, or it goes back, or it has failed. */
export async function giveUp<Ended>(
  cause: unknown,
  { isHandedBack, release, fail }: GivingUp<Ended>,
): Promise<Ended | undefined> {
  if (isHandedBack) await release();
  else if (!isLost(cause)) return await fail();
  return undefined;
}

/** Any error as one of ours, without secrets; one that says nothing else gets the given code. */
export function publicError(
  cause: unknown,
  redact: <Value>(value: Value) => Value,
  code: "RunFailed" | "TaskFailed",
): GalleyError {
  if (!(cause instanceof GalleyError)) {
    return new GalleyError(code, redact(messageOf(cause)));
  }
  const { message, path, hint, retryable, problems } = cause;
  return new GalleyError(cause.code, redact(message), redact({ retryable, problems, path, hint }));
}
