import type { Input } from "../../api/client.ts";
import type { RouteName, RouteReply } from "../../api/index.ts";
import type { Galley } from "../../galley/galley.ts";
import { chatHandlers } from "./chat-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";

/** The routes that need a data folder and nothing else of a daemon. */
type FolderRoute = Extract<RouteName, `${"chats" | "sessions"}.${string}`>;

/** Asks a data folder, by the names of its routes. */
export type FolderRoutes = <Name extends FolderRoute>(name: Name, input: Input<Name>) => Promise<RouteReply<Name>>;

/** A data folder that is open in this process: the handlers of the daemon answer, without a daemon. */
export function localRoutes(galley: Galley): FolderRoutes {
  const context = { galley, events: { tell: () => undefined } };
  const handlers = { ...chatHandlers(context), ...sessionHandlers(context) };
  const call = { signal: new AbortController().signal };
  return async <Name extends FolderRoute>(name: Name, input: Input<Name>) => {
    const answer = handlers[name] as (args: object, of: typeof call) => unknown;
    return (await answer({ query: {}, body: {}, ...input }, call)) as RouteReply<Name>;
  };
}
