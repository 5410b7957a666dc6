import * as z from "zod";
import { del, get, post, put } from "./route.ts";
import { ok, preset, problem, time } from "./shapes.ts";

const presetId = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,99}$/u)
  .meta({ description: "The name of a preset in the library." });
const params = z.object({ id: presetId });
const versionParams = z.object({ id: presetId, version: z.coerce.number().int().min(1) });

const presetItem = z.object({
  id: z.string(),
  name: z.string().optional(),
  mode: z.enum(["simple", "advanced"]),
  version: z.number(),
  updatedAt: time,
  templates: z.number(),
  recipes: z.number(),
});
const savedPreset = z.object({
  id: z.string(),
  version: z.number(),
  updatedAt: time,
  label: z.string().optional(),
  preset,
  problems: z.array(problem),
});
const expectedVersion = z.number().int().min(0);

/** A preset is saved with the version it was made from; every save is kept as a version. */
export const presetRoutes = {
  "presets.list": get("/presets", "The presets of the library.", { reply: z.object({ presets: z.array(presetItem) }) }),
  "presets.get": get("/presets/{id}", "A preset with its version.", { params, reply: savedPreset }),
  "presets.save": put(
    "/presets/{id}",
    "Saves a preset. Version 0 makes a new one; another version than the present one is a conflict (409).",
    {
      params,
      body: z.object({
        preset,
        expectedVersion,
        label: z.string().max(200).optional().meta({ description: "What was done, e.g. move step." }),
      }),
      reply: savedPreset,
    },
  ),
  "presets.revive": post(
    "/presets/{id}/revive",
    "Brings lorebook entries of an earlier import alive, as the next version. Where none sleeps, nothing is saved.",
    {
      params,
      body: z.object({ expectedVersion }),
      reply: savedPreset.extend({ revived: z.number().meta({ description: "How many entries come alive." }) }),
    },
  ),
  "presets.delete": del("/presets/{id}", "Deletes a preset; its versions stay until the name is used again.", {
    params,
    reply: ok,
  }),
  "presets.versions": get("/presets/{id}/versions", "The saved versions, newest first.", {
    params,
    reply: z.object({
      versions: z.array(z.object({ version: z.number(), savedAt: time, label: z.string().optional() })),
    }),
  }),
  "presets.version": get("/presets/{id}/versions/{version}", "One saved version.", {
    params: versionParams,
    reply: savedPreset,
  }),
} as const;
