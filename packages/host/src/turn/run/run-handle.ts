import { GalleyError } from "@galley/engine";
import type { RunEvent, RunResult } from "../../api/run-event.ts";
import type { GalleyRun } from "../services/turn-types.ts";

const aborted = "Aborted by its caller";

/** A run from the inside. Every reader gets every event, from the first on, however late they come. */
export class RunHandle implements GalleyRun {
  readonly runId: string;
  readonly #events: RunEvent[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #controller = new AbortController();
  readonly #result = Promise.withResolvers<RunResult>();
  readonly #outer: AbortSignal | undefined;
  readonly #onOuter = (): void => this.abort(reasonOf(this.#outer?.reason));
  #isOver = false;

  constructor(runId: string, outer?: AbortSignal) {
    this.runId = runId;
    this.#outer = outer;
    // Those who only read the events learn of a failure from them.
    this.result.catch(() => undefined);
    if (outer?.aborted) this.#onOuter();
    outer?.addEventListener("abort", this.#onOuter, { once: true });
  }

  get result(): Promise<RunResult> {
    return this.#result.promise;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** How many events it holds. */
  get size(): number {
    return this.#events.length;
  }

  abort(reason: string = aborted): void {
    this.stop(
      new GalleyError("RunAborted", `The run was stopped: ${reason.replace(/\.?$/u, ".")}`, {
        hint: "What was said so far is kept, marked as stopped. If nothing had begun, the question is in the transcript only.",
      }),
    );
  }

  /** Ends it from within, for another reason than its caller's. */
  stop(error: GalleyError): void {
    if (!this.#isOver && !this.signal.aborted) this.#controller.abort(error);
  }

  emit(event: RunEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  finish(result: RunResult): void {
    this.emit({ type: "run:finished", runId: this.runId, result });
    this.#result.resolve(result);
    this.#end();
  }

  /** One that is handed back was only aborted here: another process goes on with it. */
  fail(error: GalleyError, isHandedBack = false): void {
    const { runId } = this;
    if (isHandedBack || error.code === "RunAborted") {
      this.emit({ type: "run:aborted", runId, reason: error.message });
    } else this.emit({ type: "run:failed", runId, error: error.toJSON() });
    this.#result.reject(error);
    this.#end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length) {
        if (this.#isOver) return;
        await new Promise<void>((go) => this.#waiting.add(go));
      }
      yield this.#events[next] as RunEvent;
    }
  }

  #wake(): void {
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }

  #end(): void {
    this.#isOver = true;
    this.#outer?.removeEventListener("abort", this.#onOuter);
    this.#wake();
  }
}

function reasonOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : typeof reason === "string" ? reason : aborted;
}
