import type { RouteName } from "../../api/index.ts";
import { canvasFacts } from "../agents/daemon-agents.ts";
import { lostEvents } from "../events/event-log.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { signOutOne } from "../http/browser-sessions.ts";
import { chatHandlers } from "./chat-handlers.ts";
import { type HandlerContext, done } from "./handler-context.ts";
import { handoverHandlers } from "./handover-handlers.ts";
import { runHandlers } from "./run-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";

type SmallRoute = Extract<RouteName, `${"info" | "models" | "browsers" | "presets" | "agents" | "events"}.${string}`>;

/** The daemon's answer to every route. */
export function routeHandlers(context: HandlerContext): RouteHandlers {
  return {
    ...smallHandlers(context),
    ...chatHandlers(context),
    ...runHandlers(context),
    ...sessionHandlers(context),
    ...handoverHandlers(context),
  };
}

function smallHandlers(context: HandlerContext): RouteHandlers<SmallRoute> {
  const { galley, agents, browsers, startedAt, version } = context;
  const { presets, models } = galley;
  const { log } = context.events;
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
    "models.list": ({ query: { usable } }) => ({
      models: models.list().filter((model) => usable === undefined || String(model.usable) === usable),
    }),
    // A person may sign browsers out from any of them; letting one in takes the daemon's token.
    "browsers.list": (_, { browser }) => ({
      browsers: browsers.list().map((session) => ({ ...session, isCurrent: session.id === browser })),
      problem: browsers.problem,
    }),
    "browsers.signOut": async ({ params: { id } }) => ({ signedOut: await signOutOne(browsers, id) }),
    "browsers.signOutOthers": async (_, { browser }) => ({
      signedOut: await browsers.signOut(({ id }) => id !== browser),
    }),
    "presets.list": async () => ({ presets: await presets.list() }),
    "presets.get": ({ params }) => presets.get(params.id),
    "presets.save": ({ params, body }) => presets.save(params.id, body),
    "presets.delete": ({ params }) => done(presets.delete(params.id)),
    "presets.versions": async ({ params }) => ({ versions: await presets.versions(params.id) }),
    "presets.version": ({ params }) => presets.version(params.id, params.version),
    "agents.list": async () => ({ agents: await agents.list(), config }),
    "agents.get": ({ params }) => agents.get(params.name),
    "agents.start": ({ params }) => agents.start(params.name),
    "agents.stop": ({ params }) => agents.stop(params.name),
    "agents.prompt": ({ params, body }, { signal }) => agents.prompt(params.name, body.text).follow({ signal }),
    "agents.cancel": ({ params }) => ({ wasBusy: agents.cancel(params.name) }),
    "agents.canvas": async ({ params }) => {
      const canvas = await agents.canvas(params.name);
      return canvas ? { ...canvasFacts(canvas), html: canvas.html } : null;
    },
    "agents.clearCanvas": ({ params }) => done(agents.clearCanvas(params.name)),
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
