import { apiClient } from "galley/api/client";
import { routeTable } from "virtual:galley-routes";
import { useConnection } from "./connection.ts";

/** As the browser's, and keeps whether the daemon answers and knows this browser. */
const watchedFetch: typeof fetch = async (address, init) => {
  const response = await fetch(address, init).catch((error: unknown) => {
    // What the page itself has left says nothing; an answer that did not come in time does.
    const left: unknown = init?.signal?.aborted === true ? init.signal.reason : undefined;
    if (left === undefined || isTimeout(left)) useConnection.setState({ isOffline: true });
    throw error;
  });
  useConnection.setState({ isOffline: false, ...(response.status === 401 && { isSignedOut: true }) });
  return response;
};

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}

/** The daemon that has served this page. */
export const { addressOf, call, stream } = apiClient({ routes: routeTable, fetch: watchedFetch });
