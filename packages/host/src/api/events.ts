import * as z from "zod";
import { get } from "./route.ts";
import { time } from "./shapes.ts";

/** What has changed. A page asks again for what it shows; no event carries content. */
const daemonEvent = z.object({
  id: z.string().meta({ description: "Rises; give it back as Last-Event-ID to go on from here." }),
  type: z.enum([
    "preset:saved",
    "preset:deleted",
    "chat:changed",
    "run:started",
    "run:ended",
    "call:recorded",
    "agent:changed",
    "canvas:changed",
    "task:changed",
    "browser:changed",
    "events:lost",
  ]),
  at: time,
  /** Which one: the preset's id, the chat's key, the run's id … */
  subject: z.string(),
});

export const eventRoutes = {
  "events.follow": get("/events", "What changes, as it changes. Also at /events.", {
    reply: daemonEvent,
    stream: true,
  }),
} as const;
