import type { QueryClient } from "@tanstack/react-query";

/**
 * Asks again for the answers of the given routes; of all of them without a test. A question that has no answer yet is not
 * asked twice at once by the client, and its answer may be from before the change: it is asked again when it is there.
 */
export async function markStale(client: QueryClient, isStale: (route: string) => boolean = () => true): Promise<void> {
  const predicate = ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean => isStale(String(queryKey[0]));
  const unanswered = client
    .getQueryCache()
    .findAll({ predicate, fetchStatus: "fetching" })
    .filter(({ state }) => state.data === undefined);
  const later = unanswered.map(async ({ promise, queryKey }) => {
    await promise?.catch(() => undefined);
    await client.invalidateQueries({ queryKey, exact: true });
  });
  await Promise.all([client.invalidateQueries({ predicate }), ...later]);
}
