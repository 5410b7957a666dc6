import {
  type UseMutationResult,
  type UseQueryResult,
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { RouteName, RouteReply } from "galley/api";
import type { Input } from "galley/api/client";
import { call } from "./call.ts";
import { markStale } from "./mark-stale.ts";

export interface UseApiOptions {
  /** False until what the call needs is known. */
  readonly isEnabled?: boolean;
  /** Shows the answer to the input before until the new one is there. */
  readonly keepPrevious?: boolean;
  /** Interval in ms for asking again, for what other programs change without the daemon, e.g. `galley worker`. */
  readonly pollMs?: number;
}

/** The answer of a route, kept and asked for again when the daemon says that it has changed. */
export function useApi<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
  options: UseApiOptions = {},
): UseQueryResult<RouteReply<Name>> {
  const { isEnabled = true, keepPrevious = false, pollMs } = options;
  return useQuery({
    queryKey: [name, input],
    queryFn: ({ signal }): Promise<RouteReply<Name>> => call(name, input, { signal }),
    enabled: isEnabled,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...(pollMs !== undefined && { refetchInterval: pollMs }),
  });
}

/** Does something; what it may have changed (the routes of the same family) is asked for again. */
export function useAction<Name extends RouteName>(name: Name): UseMutationResult<RouteReply<Name>, Error, Input<Name>> {
  const client = useQueryClient();
  const family = name.slice(0, name.indexOf(".") + 1);
  return useMutation({
    mutationFn: (input: Input<Name>) => call(name, input),
    onSuccess: () => markStale(client, (route) => route.startsWith(family)),
  });
}
