import type { RouteName } from "../../api/index.ts";
import { alwaysThere } from "../../config/config-problems.ts";
import { contextProviderName } from "../../config/config-schema.ts";
import { canvasFacts } from "../agents/daemon-agents.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { type HandlerContext, done } from "./handler-context.ts";

type AgentRoute = Extract<RouteName, `agents.${string}`>;

export function agentHandlers({ galley, agents, confirmations }: HandlerContext): RouteHandlers<AgentRoute> {
  const config = galley.config?.file ?? null;
  return {
    "agents.list": async () => ({
      agents: await agents.list(),
      config,
      folder: galley.agents.folder,
      providers: [...alwaysThere, ...(galley.config?.providers ?? []).map(contextProviderName)],
      programs: galley.agents.programs().map(({ id, label, installed, why }) => ({ id, label, installed, why })),
    }),
    "agents.save": async ({ params: { name }, body: { code, ...agent } }, { browser }) => {
      const { toConfirm, settled } = galley.agents.plan({ name, ...agent });
      if (browser !== undefined && toConfirm !== undefined) {
        confirmations.check(`let the agent ${name} ${toConfirm}`, code, `galley agent add ${name}`);
      }
      return agents.save(settled);
    },
    "agents.delete": ({ params }) => done(agents.remove(params.name)),
    "agents.get": ({ params }) => agents.get(params.name),
    "agents.start": ({ params }) => agents.start(params.name),
    "agents.stop": ({ params }) => agents.stop(params.name),
    "agents.prompt": ({ params, body }, { signal }) => agents.prompt(params.name, body.text).follow({ signal }),
    "agents.follow": ({ params }, { signal }) => agents.following(params.name)?.follow({ signal }) ?? nothing(),
    "agents.cancel": ({ params }) => ({ wasBusy: agents.cancel(params.name) }),
    "agents.canvas": async ({ params }) => {
      const canvas = await agents.canvas(params.name);
      return canvas ? { ...canvasFacts(canvas), html: canvas.html } : null;
    },
    "agents.clearCanvas": ({ params }) => done(agents.clearCanvas(params.name)),
  };
}

async function* nothing(): AsyncGenerator<never> {}
