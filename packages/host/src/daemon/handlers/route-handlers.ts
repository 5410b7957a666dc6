import type { RouteName, RouteReply } from "../../api/index.ts";
import { makeDemoWorkspace } from "../../galley/demo-workspace.ts";
import { isFamiliar } from "../../models/model-server.ts";
import { type NewProvider, type ProviderStatus, providerCheckMs } from "../../models/models.ts";
import { lostEvents } from "../events/event-log.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { signOutOne } from "../http/browser-sessions.ts";
import { agentHandlers } from "./agent-handlers.ts";
import { chatHandlers } from "./chat-handlers.ts";
import { type HandlerContext, done, found } from "./handler-context.ts";
import { handoverHandlers } from "./handover-handlers.ts";
import { logHandlers } from "./log-handlers.ts";
import { presetHandlers } from "./preset-handlers.ts";
import { runHandlers } from "./run-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";

type SmallRoute = Exclude<
  Extract<RouteName, `${"info" | "models" | "providers" | "browsers" | "events"}.${string}`>,
  "info.demo"
>;

/** The daemon's answer to every route. */
export function routeHandlers(context: HandlerContext): RouteHandlers {
  return {
    ...smallHandlers(context),
    ...agentHandlers(context),
    "info.demo": ({ body }) => makeDemoWorkspace(context.galley, body.language),
    ...presetHandlers(context),
    ...chatHandlers(context),
    ...runHandlers(context),
    ...sessionHandlers(context),
    ...logHandlers(context),
    ...handoverHandlers(context),
  };
}

function smallHandlers(context: HandlerContext): RouteHandlers<SmallRoute> {
  const { galley, browsers, startedAt, version } = context;
  const { models } = galley;
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
    "providers.list": () => ({ providers: models.providers().map(listed) }),
    "providers.save": async ({ params: { name }, body: { code, ...provider } }, { browser }) => {
      const given = { name, ...provider };
      // The daemon's token acts for the person; a page does so for addresses that nobody can have chosen for it.
      if (browser !== undefined) confirmAddress(context, given, code);
      return listed(await models.saveProvider(given));
    },
    "providers.delete": ({ params }) => done(models.removeProvider(params.name)),
    "providers.check": async ({ params: { name } }) => {
      const [answer] = await models.check({ provider: name, timeLimitMs: providerCheckMs });
      return found(answer, "provider", name);
    },
    // A person may sign browsers out from any of them; letting one in takes the daemon's token.
    "browsers.list": (_, { browser }) => ({
      browsers: browsers.list().map((session) => ({ ...session, isCurrent: session.id === browser })),
      problem: browsers.problem,
    }),
    "browsers.signOut": async ({ params: { id } }) => ({ signedOut: await signOutOne(browsers, id) }),
    "browsers.signOutOthers": async (_, { browser }) => ({
      signedOut: await browsers.signOut(({ id }) => id !== browser),
    }),
    // A client that comes for the first time hears what happens from now on.
    "events.follow": (_, { signal, lastEventId }) =>
      log.follow({ after: lastEventId ?? log.lastId, signal, lost: lostEvents }),
  };
}

type Listed = RouteReply<"providers.save">;

function listed({ kind, ...rest }: ProviderStatus): Listed {
  return { ...rest, kind: kind as Listed["kind"] };
}

function confirmAddress({ galley, confirmations }: HandlerContext, given: NewProvider, code: string | undefined): void {
  const { name, baseUrl } = galley.models.planProvider(given);
  const { origin } = new URL(baseUrl);
  const before = galley.models.providers().find((one) => one.from === "added" && one.name === name);
  if (isFamiliar(baseUrl) || (before && new URL(before.baseUrl).origin === origin)) return;
  confirmations.check(`add the provider ${name} at ${origin}`, code, "galley provider add NAME --url URL");
}

/** One value has several forms, and each of them a name of its own. */
function secretNames(secrets: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(secrets).map((name) => name.replace(/~\d+$/, ""));
  return [...new Set(names)].filter((name) => !name.startsWith("token:")).sort();
}
