import { type Compactor, GalleyError } from "@galley/engine";
import { type Timeout, withTimeout } from "../../limits/with-timeout.ts";

/** A compactor that rejects with `CompactionFailed` when the one inside has not answered in time. */
export function timeLimitedCompactor(compactor: Compactor, milliseconds: number): Compactor {
  return {
    id: compactor.id,
    compact: (request) => withTimeout(() => compactor.compact(request), compactorTimeout(compactor.id, milliseconds)),
  };
}

export function compactorTimeout(id: string, milliseconds: number): Timeout {
  const message = `The compactor ${id} gave no answer within ${milliseconds} ms.`;
  const details = { hint: "Raise the time limit, or take a faster model.", retryable: true };
  return { milliseconds, error: () => new GalleyError("CompactionFailed", message, details) };
}
