import { randomBytes } from "node:crypto";
import type { RouteReply } from "../../api/index.ts";
import { type EventLog, eventLog } from "./event-log.ts";

export type DaemonEvent = RouteReply<"events.follow">;
type DaemonEventType = DaemonEvent["type"];

/** What changes in a daemon, for pages that show it. */
export interface DaemonEvents {
  readonly log: EventLog<DaemonEvent>;
  tell(type: DaemonEventType, subject: string): void;
}

/** How many are kept for clients that come back. */
const keptEvents = 2000;

export function daemonEvents({ clock = Date.now }: { readonly clock?: () => number } = {}): DaemonEvents {
  const name = randomBytes(4).toString("hex");
  const log = eventLog<DaemonEvent>({ kept: keptEvents, name });
  let count = 0;
  return {
    log,
    tell(type, subject) {
      count += 1;
      log.push({ id: `${name}-${count}`, type, at: clock(), subject });
    },
  };
}

/** Says that events were missed: whoever reads it asks for everything anew. */
export function lostEvents(id: string): DaemonEvent {
  return { id, type: "events:lost", at: Date.now(), subject: "" };
}
