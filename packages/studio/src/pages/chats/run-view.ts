import type { RunEvent } from "galley/api";
import type { ErrorDetails } from "galley/api/client";
import { jsonText } from "../../message/message-blocks.ts";

/** What a run has shown so far, in the order in which it happened. */
export type RunBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly id: string;
      readonly name: string;
      readonly input: string;
      /** Nothing while the tool is at work. */
      readonly output?: string;
      readonly isError?: boolean;
    }
  | { readonly kind: "switched"; readonly tool: string }
  | { readonly kind: "recovered"; readonly reason: string };

interface RunBuild {
  readonly session: string;
  readonly n: number;
  readonly digest: string;
  readonly inputTokens: number;
}

export interface RunView {
  readonly runId: string | undefined;
  readonly model: string | undefined;
  readonly status: "starting" | "running" | "finished" | "failed" | "aborted";
  readonly blocks: readonly RunBlock[];
  /** One for each call of the model; the last one is what the reply answers. */
  readonly builds: readonly RunBuild[];
  readonly error?: ErrorDetails;
  readonly finish?: string;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedInputTokens: number };
}

export const noRun: RunView = { runId: undefined, model: undefined, status: "starting", blocks: [], builds: [] };

/** True while something may still come. */
export function isUnderWay({ status }: RunView): boolean {
  return status === "starting" || status === "running";
}

/** Takes one event in; events that are not known change nothing. */
export function takeRunEvent(view: RunView, event: RunEvent): RunView {
  switch (event.type) {
    case "run:started":
      return { ...view, runId: event.runId, model: event.model, status: "running" };
    case "build": {
      const { session, n, digest, stats } = event;
      return { ...view, builds: [...view.builds, { session, n, digest, inputTokens: stats.inputTokens }] };
    }
    case "text":
    case "reasoning":
      return { ...view, blocks: extend(view.blocks, event.type, event.delta) };
    case "tool:call":
      return {
        ...view,
        blocks: [...view.blocks, { kind: "tool", id: event.id, name: event.name, input: jsonText(event.input) }],
      };
    case "tool:result":
      return { ...view, blocks: answer(view.blocks, event) };
    case "context:switched":
      return { ...view, blocks: [...view.blocks, { kind: "switched", tool: event.tool }] };
    case "overflow:recovered":
      return { ...view, blocks: [...view.blocks, { kind: "recovered", reason: event.reason }] };
    case "run:finished":
      return { ...view, status: "finished", finish: event.result.finish, usage: event.result.usage };
    case "run:aborted":
      return { ...view, status: "aborted" };
    case "run:failed":
      return {
        ...view,
        status: "failed",
        error: { code: "RunFailed", message: "", ...(event.error as Partial<ErrorDetails>) },
      };
  }
  return view;
}

function extend(blocks: readonly RunBlock[], kind: "text" | "reasoning", delta: string): readonly RunBlock[] {
  const last = blocks.at(-1);
  if (last?.kind !== kind) return delta === "" ? blocks : [...blocks, { kind, text: delta }];
  return [...blocks.slice(0, -1), { kind, text: last.text + delta }];
}

function answer(
  blocks: readonly RunBlock[],
  { id, name, output, isError }: Extract<RunEvent, { type: "tool:result" }>,
): readonly RunBlock[] {
  const text = typeof output === "string" ? output : jsonText(output);
  // Providers reuse ids; the newest call that waits is the one that is answered.
  const at = blocks.findLastIndex((block) => block.kind === "tool" && block.id === id && block.output === undefined);
  const call = blocks[at];
  if (call?.kind !== "tool") return [...blocks, { kind: "tool", id, name, input: "", output: text, isError }];
  return blocks.with(at, { ...call, output: text, isError });
}
