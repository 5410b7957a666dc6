/**
 * What a call and its results are paired by. Nearly always the id itself: to make a text for the purpose would take its
 * time in a long history. No call is ever taken for a request to approve one.
 */
export function callKey({ toolCallId }: { readonly toolCallId: string }): string {
  return toolCallId.charCodeAt(0) === 0 ? `\0call ${toolCallId}` : toolCallId;
}

const approval = "\0approval ";

/** The same for a request to approve a call, and its answer. */
export function approvalKey({ approvalId }: { readonly approvalId: string }): string {
  return approval + approvalId;
}

export function isCallKey(key: string): boolean {
  return !key.startsWith(approval);
}

/**
 * Calls that wait for their results, by id. Ids are reused in the wild, so that one may be open more than once; a result
 * answers the nearest [M4].
 */
export interface OpenCalls {
  readonly size: number;
  open(key: string, index: number): void;
  /** The index of the call that is answered, or nothing when none is open. */
  answer(key: string): number | undefined;
  entries(): Iterable<readonly [key: string, index: number]>;
  clear(): void;
}

export function openCalls(): OpenCalls {
  const calls = new Map<string, number | number[]>();
  return {
    get size() {
      return calls.size;
    },
    open(key, index) {
      const before = calls.get(key);
      if (before === undefined) calls.set(key, index);
      else if (typeof before === "number") calls.set(key, [before, index]);
      else before.push(index);
    },
    answer(key) {
      const found = calls.get(key);
      if (found === undefined) return undefined;
      if (typeof found === "number") {
        calls.delete(key);
        return found;
      }
      const index = found.pop();
      if (found.length === 0) calls.delete(key);
      return index;
    },
    *entries() {
      for (const [key, found] of calls) {
        if (typeof found === "number") yield [key, found];
        else for (const index of found) yield [key, index];
      }
    },
    clear: () => calls.clear(),
  };
}
