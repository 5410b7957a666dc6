import type { RouteName } from "../../api/index.ts";
import type { SavedPreset } from "../../presets/preset-files.ts";
import type { PresetLibrary } from "../../presets/preset-library.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { type HandlerContext, done } from "./handler-context.ts";

type PresetRoute = Extract<RouteName, `presets.${string}`>;

export function presetHandlers({ galley: { presets } }: HandlerContext): RouteHandlers<PresetRoute> {
  return {
    "presets.list": async () => ({ presets: await presets.list() }),
    "presets.get": ({ params }) => presets.get(params.id),
    "presets.save": ({ params, body }) => presets.save(params.id, body),
    "presets.revive": ({ params, body }) => revive(presets, params.id, body.expectedVersion),
    "presets.delete": ({ params }) => done(presets.delete(params.id)),
    "presets.versions": async ({ params }) => ({ versions: await presets.versions(params.id) }),
    "presets.version": ({ params }) => presets.version(params.id, params.version),
  };
}

/** Brings entries of an earlier import alive, as the next version of the preset [K2a]. */
async function revive(
  presets: PresetLibrary,
  id: string,
  expectedVersion: number,
): Promise<SavedPreset & { readonly revived: number }> {
  // Loaded when it is asked for: a daemon that starts needs nothing of SillyTavern.
  const { reviveEntries, sleepingEntries } = await import("@galley/engine/sillytavern");
  const saved = await presets.get(id);
  const revived = sleepingEntries(saved.preset);
  if (revived === 0) return { ...saved, revived };
  const request = { preset: reviveEntries(saved.preset), expectedVersion, label: "revive entries" };
  return { ...(await presets.save(id, request)), revived };
}
