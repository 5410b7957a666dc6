import { lostEvents } from "../events/daemon-events.ts";
import type { RouteHandlers } from "../http/route-handlers.ts";
import { agentHandlers } from "./agent-handlers.ts";
import { browserHandlers } from "./browser-handlers.ts";
import { chatHandlers } from "./chat-handlers.ts";
import type { HandlerContext } from "./handler-context.ts";
import { handoverHandlers } from "./handover-handlers.ts";
import { infoHandlers } from "./info-handlers.ts";
import { presetHandlers } from "./preset-handlers.ts";
import { runHandlers } from "./run-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";

/** The daemon's answer to every route. */
export function routeHandlers(context: HandlerContext): RouteHandlers {
  const { log } = context.events;
  return {
    ...infoHandlers(context),
    ...browserHandlers(context),
    ...presetHandlers(context),
    ...chatHandlers(context),
    ...runHandlers(context),
    ...sessionHandlers(context),
    ...agentHandlers(context),
    ...handoverHandlers(context),
    // Whoever comes for the first time hears what happens from now on.
    "events.follow": (_, { signal, lastEventId }) =>
      log.follow({ after: lastEventId ?? log.lastId, signal, lost: lostEvents }),
  };
}
