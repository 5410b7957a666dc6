import type { RouteReply } from "galley/api";
import { addressOf, call } from "./call.ts";
import { useConnection } from "./connection.ts";
import { markStale } from "./mark-stale.ts";
import { queryClient } from "./query-client.ts";

type DaemonEvent = RouteReply<"events.follow">;

/** Which answers an event makes old, by the beginnings of their routes' names. */
const stale: Readonly<Record<DaemonEvent["type"], readonly string[]>> = {
  "preset:saved": ["presets.", "turns."],
  "preset:deleted": ["presets."],
  // What is deleted or redacted is gone from runs and builds as well.
  "chat:changed": ["chats.", "runs.", "sessions.", "turns.", "tasks."],
  "run:started": ["runs."],
  "run:ended": ["runs.", "chats.", "sessions.", "turns."],
  "call:recorded": ["sessions."],
  "session:changed": ["sessions."],
  "agent:changed": ["agents."],
  "canvas:changed": ["agents."],
  "task:changed": ["tasks.", "boxes.", "profiles.", "sessions."],
  "task:ended": ["tasks.", "chats."],
  "browser:changed": ["browsers."],
  "provider:changed": ["providers.", "models.", "info."],
  "events:lost": [""],
};

function take(message: MessageEvent<string>): void {
  const event = JSON.parse(message.data) as DaemonEvent;
  const families = stale[event.type];
  void markStale(queryClient, (route) => families.some((family) => route.startsWith(family)));
}

/** How long to wait before a stream that was refused is tried again, in ms; twice as long each time. */
const pauses = { first: 500, max: 5000 };

/** How often the daemon is asked whether it is there, and how long it may take to say so, in ms. */
const asking = { every: 10_000, patience: 5000 };

/** The stream of events for as long as it is not closed, whatever the daemon answers meanwhile. */
class EventFollower {
  #source: EventSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pause = pauses.first;
  #asking: ReturnType<typeof setInterval> | undefined;

  open(): void {
    this.#asking ??= setInterval(() => void this.ask(), asking.every);
    this.#follow();
  }

  #follow(): void {
    if (this.#source || this.#timer !== undefined) return;
    const source = new EventSource(addressOf("events.follow", {}));
    this.#source = source;
    source.onmessage = take;
    source.onopen = () => {
      this.#pause = pauses.first;
      // No event told of what changed while the stream was closed.
      void markStale(queryClient);
      useConnection.setState({ isOffline: false, isSignedOut: false });
    };
    // The daemon's last word: this browser was signed out. Asking says so.
    source.addEventListener("problem", () => {
      this.#source?.close();
      void this.#openAgain();
    });
    source.onerror = () => {
      useConnection.setState({ isOffline: true });
      if (source.readyState === EventSource.CLOSED && source === this.#source) void this.#openAgain();
    };
  }

  close(): void {
    clearInterval(this.#asking);
    this.#asking = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#source?.close();
    this.#source = undefined;
  }

  /** A stream stays open when the network goes away or the daemon hangs, and says nothing: a question tells. */
  async ask(): Promise<void> {
    const wasOffline = useConnection.getState().isOffline;
    const source = this.#source;
    const isAnswered = await isThere();
    if (isAnswered && wasOffline) await markStale(queryClient);
    if (isAnswered || source === undefined || source !== this.#source) return;
    source.close();
    await this.#openAgain();
  }

  /** A browser gives a stream up that is refused once. Asking says why: a browser that is not known any more stays out. */
  async #openAgain(): Promise<void> {
    this.#source = undefined;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#follow();
    }, this.#pause);
    this.#pause = Math.min(this.#pause * 2, pauses.max);
    await isThere();
    if (useConnection.getState().isSignedOut) this.close();
  }
}

/** Whether the daemon answers; the page then says so. */
async function isThere(): Promise<boolean> {
  try {
    await call("info.get", {}, { signal: AbortSignal.timeout(asking.patience) });
    return true;
  } catch {
    return !useConnection.getState().isOffline;
  }
}

/**
 * Follows the daemon's events for as long as the page is seen; the browser reconnects and goes on where it was. A browser
 * has six connections to one place: tabs in the background give theirs up, or the seventh tab would wait for ever.
 */
export function followEvents(): () => void {
  const follower = new EventFollower();
  const onVisibility = (): void => (document.hidden ? follower.close() : follower.open());
  const onNetwork = (): void => void follower.ask();
  onVisibility();
  document.addEventListener("visibilitychange", onVisibility);
  for (const change of ["offline", "online"]) window.addEventListener(change, onNetwork);
  return () => {
    for (const change of ["offline", "online"]) window.removeEventListener(change, onNetwork);
    document.removeEventListener("visibilitychange", onVisibility);
    follower.close();
  };
}
