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
  readonly isEmpty: boolean;
  open(key: string, index: number): void;
  /** The index of the call that is answered, or nothing when none is open. */
  answer(key: string): number | undefined;
  entries(): Iterable<readonly [key: string, index: number]>;
  clear(): void;
}

export function openCalls(): OpenCalls {
  const calls = new Map<string, number | number[]>();
  // The newest is kept beside the others: nearly always it is the only one, and a map that is filled and emptied again and
  // again allocates each time.
  let newest: string | undefined;
  let newestIndex = 0;
  const putAside = (key: string, index: number): void => {
    const before = calls.get(key);
    if (before === undefined) calls.set(key, index);
    else if (typeof before === "number") calls.set(key, [before, index]);
    else before.push(index);
  };
  return {
    get isEmpty() {
      return newest === undefined && calls.size === 0;
    },
    open(key, index) {
      if (newest !== undefined) putAside(newest, newestIndex);
      newest = key;
      newestIndex = index;
    },
    answer(key) {
      if (key === newest) {
        newest = undefined;
        return newestIndex;
      }
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
      if (newest !== undefined) yield [newest, newestIndex];
    },
    clear() {
      newest = undefined;
      calls.clear();
    },
  };
}
