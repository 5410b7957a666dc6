import { messageOf } from "../../disk/storage-error.ts";

/** Who caused an event. */
type CallerType = "system" | "user" | "agent" | "api";

/** An event in its envelope [I7]. */
export interface HookEvent {
  readonly event: string;
  readonly agentName: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  /** ISO 8601, in UTC. */
  readonly timestamp: string;
  readonly callerType: CallerType;
  readonly callerId: string;
}

export interface EmitOptions {
  readonly agentName?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly callerType?: CallerType;
  readonly callerId?: string;
}

/** Hears events; what it throws is recorded and stops nothing. */
export type HookListener = (event: HookEvent) => unknown;

export interface HookEventBusOptions {
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Takes the secrets out of what listeners, and so logs, get to see [P6]. */
  readonly redact?: <Value>(value: Value) => Value;
}

/** Reports what happens to sessions. A listener that throws or rejects does not affect the others. */
export class HookEventBus {
  readonly #listeners = new Map<string, Set<HookListener>>();
  readonly #clock: () => number;
  readonly #redact: <Value>(value: Value) => Value;

  constructor({ clock = Date.now, redact = (value) => value }: HookEventBusOptions = {}) {
    this.#clock = clock;
    this.#redact = redact;
  }

  /** Listens to one event, or to all with `*`; gives the function that ends it. */
  on(event: string, listener: HookListener): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => this.off(event, listener);
  }

  off(event: string, listener: HookListener): void {
    const listeners = this.#listeners.get(event);
    if (listeners?.delete(listener) && listeners.size === 0) this.#listeners.delete(event);
  }

  listenerCount(): number {
    let count = 0;
    for (const listeners of this.#listeners.values()) count += listeners.size;
    return count;
  }

  emit(event: string, options: EmitOptions = {}): HookEvent {
    const { agentName, data = {}, callerType = "system", callerId = "galley" } = options;
    const envelope: HookEvent = {
      event,
      agentName,
      data: this.#redact(data),
      timestamp: new Date(this.#clock()).toISOString(),
      callerType,
      callerId,
    };
    // Copies: a listener may come or go while the event is told.
    for (const key of [event, "*"]) {
      for (const listener of Array.from(this.#listeners.get(key) ?? [])) this.#tell(listener, envelope);
    }
    return envelope;
  }

  #tell(listener: HookListener, envelope: HookEvent): void {
    const fail = (error: unknown): void => {
      // The failure of a listener is an event too; if telling that one fails, there is no listener left to tell.
      if (envelope.event === "listener:failed") return;
      const { agentName, event: failedIn } = envelope;
      this.emit("listener:failed", { agentName, data: { event: failedIn, reason: messageOf(error) } });
    };
    try {
      const result = listener(envelope);
      if (result instanceof Promise) result.catch(fail);
    } catch (error) {
      fail(error);
    }
  }
}
