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
    "session:changed",
    "agent:changed",
    "canvas:changed",
    "task:changed",
    "task:ended",
    "browser:changed",
    "provider:changed",
    "events:lost",
  ]),
  at: time,
  /** Which one: the preset's id, the chat's key, the run's id … */
  subject: z.string(),
  place: z.string().optional().meta({ description: "Of a task that has ended: where its result returns to." }),
});

export const eventRoutes = {
  "events.follow": get("/events", "What changes, as it changes. Also at /events.", {
    reply: daemonEvent,
    stream: true,
  }),
} as const;
