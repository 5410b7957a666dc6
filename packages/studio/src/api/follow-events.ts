import type { RouteReply } from "galley/api";
import { addressOf, call } from "./call.ts";
import { useConnection } from "./connection.ts";
import { markStale } from "./mark-stale.ts";
import { queryClient } from "./query-client.ts";

type DaemonEvent = RouteReply<"events.follow">;

/** Which answers an event makes old, by the beginnings of their routes' names. */
const stale: Readonly<Record<DaemonEvent["type"], readonly string[]>> = {
  "preset:saved": ["presets."],
  "preset:deleted": ["presets."],
  "chat:changed": ["chats."],
  "run:started": ["runs."],
  "run:ended": ["runs.", "chats."],
  "turn:recorded": ["sessions."],
  "agent:changed": ["agents."],
  "canvas:changed": ["agents."],
  "delegation:changed": ["delegations.", "boxes."],
  "events:lost": [""],
};

function take(message: MessageEvent<string>): void {
  const event = JSON.parse(message.data) as DaemonEvent;
  const families = stale[event.type];
  void markStale(queryClient, (route) => families.some((family) => route.startsWith(family)));
}

function openSource(): EventSource {
  const source = new EventSource(addressOf("events.follow", {}));
  source.onmessage = take;
  source.onopen = () => {
    // What changed before the stream was open, at first or again, nobody told.
    void markStale(queryClient);
    useConnection.setState({ isOffline: false });
  };
  source.onerror = () => {
    useConnection.setState({ isOffline: true });
    // The browser gives up when it is refused: asking once more says why, e.g. that this browser is not known any more.
    if (source.readyState === EventSource.CLOSED) call("info.get", {}).catch(() => undefined);
  };
  return source;
}

/**
 * Follows the daemon's events for as long as the page is seen; the browser reconnects and goes on where it was. A browser
 * has six connections to one place: tabs in the background give theirs up, or the seventh tab would wait for ever.
 */
export function followEvents(): () => void {
  let source = document.hidden ? undefined : openSource();
  const onVisibility = (): void => {
    if (document.hidden) {
      source?.close();
      source = undefined;
    } else if (!source) {
      source = openSource();
      void markStale(queryClient);
    }
  };
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    source?.close();
  };
}
