import type { Query, QueryClient } from "@tanstack/react-query";

/**
 * Asks again for the answers of the given routes; of all of them without a test. What is on its way for the first time is
 * not asked for twice at once by the client, and its answer may be from before the change; what fetches one more page must
 * not be cut off, or the page would be lost. Both are asked for again when they are there.
 */
export async function markStale(client: QueryClient, isStale: (route: string) => boolean = () => true): Promise<void> {
  const isMeant = ({ queryKey }: Query): boolean => isStale(String(queryKey[0]));
  const busy = client.getQueryCache().findAll({ predicate: (query) => isMeant(query) && isBusy(query) });
  await Promise.all([
    client.invalidateQueries({ predicate: (query) => isMeant(query) && !isBusy(query) }),
    ...busy.map((query) => askLater(client, query)),
  ]);
}

function isBusy({ state }: Query): boolean {
  return state.fetchStatus === "fetching" && (state.data === undefined || state.fetchMeta?.fetchMore !== undefined);
}

/** By what is waited for: however many events come meanwhile, the question is asked once more. */
const waiting = new WeakMap<Promise<unknown>, Promise<void>>();

function askLater(client: QueryClient, { promise = Promise.resolve(), queryKey }: Query): Promise<void> {
  const later =
    waiting.get(promise) ??
    promise.catch(() => undefined).then(() => client.invalidateQueries({ queryKey, exact: true }));
  waiting.set(promise, later);
  return later;
}
