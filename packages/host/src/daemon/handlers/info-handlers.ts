import type { RouteHandlers } from "../http/route-handlers.ts";
import type { HandlerContext } from "./handler-context.ts";

export function infoHandlers({
  galley,
  startedAt,
  version,
}: HandlerContext): RouteHandlers<"info.get" | "models.list"> {
  return {
    "info.get": () => ({
      version,
      data: galley.data,
      store: galley.store.kind,
      project: galley.project,
      startedAt,
      pid: process.pid,
      config: galley.config?.file ?? null,
      defaultModel: galley.models.defaultId,
      secrets: secretNames(galley.redactor.secrets()),
    }),
    "models.list": ({ query: { usable } }) => ({
      models: galley.models.list().filter((model) => usable === undefined || String(model.usable) === usable),
    }),
  };
}

/** One value has several forms, and each of them a name of its own. */
function secretNames(secrets: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(secrets).map((name) => name.replace(/~\d+$/, ""));
  return [...new Set(names)].filter((name) => !name.startsWith("token:")).sort();
}
