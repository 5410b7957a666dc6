import * as z from "zod";
import { get, post } from "./route.ts";
import { servedKind } from "./shapes.ts";

const modelStatus = z.object({
  id: z.string(),
  provider: z.string(),
  kind: z.enum(["demo", ...servedKind.options]),
  usable: z.boolean(),
  why: z.string().meta({ description: "Why it can be used, or what is missing." }),
  contextWindow: z.number().optional(),
  maxOutput: z.number().optional(),
  tokenizer: z.object({ name: z.string(), exactness: z.string() }),
});

export const infoRoutes = {
  "info.get": get("/info", "What this daemon is and where it keeps its data.", {
    reply: z.object({
      version: z.string(),
      data: z.string(),
      store: z.enum(["sqlite", "postgres"]),
      project: z.string(),
      startedAt: z.number(),
      pid: z.number(),
      config: z.string().nullable().meta({ description: "The configuration file that was read." }),
      defaultModel: z.string(),
      /** Names only; values are never given out. */
      secrets: z.array(z.string()),
    }),
  }),
  "info.demo": post(
    "/demo",
    "Makes the demo in a language, where it is not there: a preset, and a chat with two topics.",
    {
      body: z.object({ language: z.enum(["en", "zh"]) }),
      reply: z.object({ preset: z.string(), chat: z.string() }),
    },
  ),
  "models.list": get("/models", "The models, which of them can be used, and why not.", {
    query: z.object({ usable: z.enum(["true", "false"]).optional() }),
    reply: z.object({ models: z.array(modelStatus) }),
  }),
} as const;
