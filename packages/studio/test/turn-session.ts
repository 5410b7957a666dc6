import type { ModelMessage, Preset } from "@galley/engine";
import type { Daemon } from "./start-daemon.ts";

export interface SessionTurns {
  readonly session: string;
  /** Its id in the library, or the preset itself. */
  readonly preset: string | Preset;
  readonly model: string;
  readonly budget?: number;
  /** What is there before the first turn. */
  readonly history?: readonly ModelMessage[];
}

/** Builds turns of a plain session through the daemon, as a program does that calls its model itself. */
export async function runTurns(
  daemon: Daemon,
  { session, preset, model, budget, history = [] }: SessionTurns,
  inputs: readonly string[],
): Promise<readonly string[]> {
  if (history.length > 0) {
    const entries = history.map((message, index) => ({
      type: "message" as const,
      id: `h${index}`,
      ts: index,
      message,
    }));
    await daemon.ask("sessions.import", { params: { id: session }, body: { entries } });
  }
  const digests: string[] = [];
  for (const input of inputs) {
    const body = { session, preset, model, input, ...(budget !== undefined && { budget }) };
    const { id, digest } = await daemon.ask("turns.build", { body });
    await daemon.ask("turns.commit", { params: { id }, body: { assistant: `Answer to: ${input}` } });
    digests.push(digest);
  }
  return digests;
}
