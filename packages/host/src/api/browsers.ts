import * as z from "zod";
import { del, get } from "./route.ts";
import { time } from "./shapes.ts";

const browser = z.object({
  id: z.string(),
  name: z.string().meta({ description: "What it calls itself, in short: Firefox 144. It may say anything." }),
  system: z.string().optional().meta({ description: "macOS, Windows, Linux …" }),
  signedInAt: time,
  seenAt: time,
  endsAt: time.meta({ description: "When it is signed out by itself." }),
  isCurrent: z.boolean().meta({ description: "Whether it is the one that asks." }),
});

export const browserRoutes = {
  "browsers.list": get("/browsers", "The browsers that are signed in, the newest first.", {
    reply: z.object({
      browsers: z.array(browser),
      problem: z
        .string()
        .optional()
        .meta({ description: "Why a restart of the daemon signs them out, where it does." }),
    }),
  }),
  "browsers.signOut": del("/browsers/{id}", "Signs a browser out, at once and for good.", {
    params: z.object({ id: z.string() }),
    reply: z.object({ signedOut: z.number() }),
  }),
  "browsers.signOutOthers": del("/browsers", "Signs all browsers out but the one that asks.", {
    reply: z.object({ signedOut: z.number() }),
  }),
} as const;
