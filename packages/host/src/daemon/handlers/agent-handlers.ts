import type { RouteName } from "../../api/index.ts";
import { canvasFacts } from "../agents/daemon-agents.ts";
import type { RouteHandlers } from "../http/route-handlers.ts";
import type { HandlerContext } from "./handler-context.ts";

type AgentRoute = Extract<RouteName, `agents.${string}`>;

export function agentHandlers({ galley, agents }: HandlerContext): RouteHandlers<AgentRoute> {
  return {
    "agents.list": async () => ({ agents: await agents.list(), config: galley.config?.file ?? null }),
    "agents.get": ({ params }) => agents.get(params.name),
    "agents.start": ({ params }) => agents.start(params.name),
    "agents.stop": ({ params }) => agents.stop(params.name),
    "agents.prompt": ({ params, body }, { signal }) => agents.prompt(params.name, body.text).follow({ signal }),
    "agents.cancel": ({ params }) => ({ wasBusy: agents.cancel(params.name) }),
    "agents.canvas": async ({ params }) => {
      const canvas = await agents.canvas(params.name);
      return canvas ? { ...canvasFacts(canvas), html: canvas.html } : null;
    },
    "agents.clearCanvas": async ({ params }) => {
      await agents.clearCanvas(params.name);
      return { ok: true };
    },
  };
}
