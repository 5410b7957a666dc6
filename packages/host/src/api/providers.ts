import * as z from "zod";
import { del, get, post, put } from "./route.ts";
import { ok, servedKind } from "./shapes.ts";

const provider = z.object({
  name: z.string(),
  kind: servedKind,
  baseUrl: z.string().meta({ description: "Where it listens, without what may be secret in it." }),
  from: z
    .enum(["galley.config", "added", "known"])
    .meta({ description: "Declared in galley.config, added by a person, or known without either." }),
  hasKey: z.boolean().meta({ description: "Whether there is a key. The key itself is never given out." }),
  usable: z.boolean(),
  why: z.string(),
});

const params = z.object({
  name: z.string().meta({ description: "What stands before the slash: ollama in ollama/qwen3." }),
});

export const providerRoutes = {
  "providers.list": get("/providers", "Who serves models, and what is known of each.", {
    reply: z.object({ providers: z.array(provider) }),
  }),
  "providers.save": put(
    "/providers/{name}",
    "Adds a provider of models to the data folder, or changes one that was added.",
    {
      params,
      body: z.object({
        type: servedKind.default("openai-compatible"),
        baseUrl: z.string().optional().meta({ description: "Its usual address, if absent." }),
        apiKey: z
          .string()
          .optional()
          .meta({ description: "If absent, the key that is there stays, as long as the address has the same origin." }),
        code: z.string().optional().meta({
          description:
            "From a browser, for an address that Galley does not know: the code that the daemon's terminal printed.",
        }),
      }),
      reply: provider,
    },
  ),
  "providers.delete": del("/providers/{name}", "Takes a provider that was added away, and its key with it.", {
    params,
    reply: ok,
  }),
  "providers.check": post("/providers/{name}/check", "Asks a provider which models it has.", {
    params,
    reply: z.object({
      url: z.string(),
      reached: z.boolean(),
      why: z.string().meta({ description: "How many models it has, or what went wrong." }),
      models: z.array(z.string()),
    }),
  }),
} as const;
