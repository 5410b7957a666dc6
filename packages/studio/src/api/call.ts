import { apiClient } from "galley/api/client";
import { routeTable } from "virtual:galley-routes";
import { useConnection } from "./connection.ts";

/** As the browser's, and keeps whether the daemon answers and knows this browser. */
const watchedFetch: typeof fetch = async (address, init) => {
  const response = await fetch(address, init).catch((error: unknown) => {
    if (!init?.signal?.aborted) useConnection.setState({ isOffline: true });
    throw error;
  });
  useConnection.setState({ isOffline: false, ...(response.status === 401 && { isSignedOut: true }) });
  return response;
};

/** The daemon that has served this page. */
export const { addressOf, call, stream } = apiClient({ routes: routeTable, fetch: watchedFetch });
