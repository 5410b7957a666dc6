import { GalleyError } from "@galley/engine";
import type { RouteName } from "../../api/index.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import type { BrowserSessions } from "../http/browser-sessions.ts";

export type BrowserRoute = Extract<RouteName, `browsers.${string}`>;

/** A person may sign browsers out from any of them; letting one in takes the daemon's token. */
export function browserHandlers(browsers: BrowserSessions): RouteHandlers<BrowserRoute> {
  return {
    "browsers.list": (_, { browser }) => ({
      browsers: browsers.list().map((session) => ({ ...session, isCurrent: session.id === browser })),
      problem: browsers.problem,
    }),
    "browsers.signOut": async ({ params: { id } }) => {
      const signedOut = await browsers.signOut((session) => session.id === id);
      if (signedOut > 0) return { signedOut };
      const hint = "`galley browsers list` shows those that are.";
      throw new GalleyError("NotFound", `No browser ${id} is signed in.`, { path: "id", hint });
    },
    "browsers.signOutOthers": async (_, { browser }) => ({
      signedOut: await browsers.signOut(({ id }) => id !== browser),
    }),
  };
}
