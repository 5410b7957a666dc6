import type { RouteName } from "../../api/index.ts";
import { makeDemoWorkspace } from "../../galley/demo-workspace.ts";
import { lostEvents } from "../events/event-log.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { agentHandlers } from "./agent-handlers.ts";
import { browserHandlers } from "./browser-handlers.ts";
import { chatHandlers } from "./chat-handlers.ts";
import type { HandlerContext } from "./handler-context.ts";
import { handoverHandlers } from "./handover-handlers.ts";
import { logHandlers } from "./log-handlers.ts";
import { presetHandlers } from "./preset-handlers.ts";
import { providerHandlers } from "./provider-handlers.ts";
import { runHandlers } from "./run-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";

type InfoRoute = Extract<RouteName, `${"info" | "models" | "events"}.${string}`>;

/** The daemon's answer to every route. */
export function routeHandlers(context: HandlerContext): RouteHandlers {
  return {
    ...infoHandlers(context),
    ...providerHandlers(context.galley.models, context.confirmations),
    ...browserHandlers(context.browsers),
    ...agentHandlers(context),
    ...presetHandlers(context),
    ...chatHandlers(context),
    ...runHandlers(context),
    ...sessionHandlers(context),
    ...logHandlers(context),
    ...handoverHandlers(context),
  };
}

function infoHandlers({ galley, events: { log }, startedAt, version }: HandlerContext): RouteHandlers<InfoRoute> {
  const { models } = galley;
  const config = galley.config?.file ?? null;
  return {
    "info.get": () => ({
      version,
      data: galley.data,
      store: galley.store.kind,
      project: galley.project,
      startedAt,
      pid: process.pid,
      config,
      defaultModel: models.defaultId,
      secrets: secretNames(galley.redactor.secrets()),
    }),
    "info.demo": ({ body }) => makeDemoWorkspace(galley, body.language),
    "models.list": ({ query: { usable } }) => ({
      models: models.list().filter((model) => usable === undefined || String(model.usable) === usable),
    }),
    // A client that comes for the first time hears what happens from now on.
    "events.follow": (_, { signal, lastEventId }) =>
      log.follow({ after: lastEventId ?? log.lastId, signal, lost: lostEvents }),
  };
}

/** One value has several forms, and each of them a name of its own. */
function secretNames(secrets: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(secrets).map((name) => name.replace(/~\d+$/, ""));
  return [...new Set(names)].filter((name) => !name.startsWith("token:")).sort();
}
