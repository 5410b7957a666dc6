import type { RouteName } from "../../api/index.ts";
import type { RouteHandlers } from "../http/route-handlers.ts";
import type { HandlerContext } from "./handler-context.ts";

type PresetRoute = Extract<RouteName, `presets.${string}`>;

export function presetHandlers({ galley: { presets } }: HandlerContext): RouteHandlers<PresetRoute> {
  return {
    "presets.list": async () => ({ presets: await presets.list() }),
    "presets.get": ({ params }) => presets.get(params.id),
    "presets.save": ({ params, body }) => presets.save(params.id, body),
    "presets.delete": async ({ params }) => {
      await presets.delete(params.id);
      return { ok: true };
    },
    "presets.versions": async ({ params }) => ({ versions: await presets.versions(params.id) }),
    "presets.version": ({ params }) => presets.version(params.id, params.version),
  };
}
