import { signOutOne } from "../http/browser-sessions.ts";
import type { RouteHandlers } from "../http/route-handlers.ts";
import type { HandlerContext } from "./handler-context.ts";

/** A person may sign browsers out from any of them; letting one in takes the daemon's token. */
export function browserHandlers({
  browsers,
}: HandlerContext): RouteHandlers<"browsers.list" | "browsers.signOut" | "browsers.signOutOthers"> {
  return {
    "browsers.list": (_, { browser }) => ({
      browsers: browsers.list().map((session) => ({ ...session, isCurrent: session.id === browser })),
      ...(browsers.problem === undefined ? {} : { problem: browsers.problem }),
    }),
    "browsers.signOut": async ({ params: { id } }) => {
      await signOutOne(browsers, id);
      return { signedOut: 1 };
    },
    "browsers.signOutOthers": async (_, { browser }) => ({
      signedOut: await browsers.signOut(({ id }) => id !== browser),
    }),
  };
}
