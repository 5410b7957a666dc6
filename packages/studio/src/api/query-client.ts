import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "galley/api/client";

/** Only what may be better in a moment is tried again: a daemon that restarts, not a request that it refused. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: isWorthRetrying, staleTime: 30_000, refetchOnWindowFocus: false, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});
