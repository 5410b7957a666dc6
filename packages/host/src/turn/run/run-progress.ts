import type { AssistantMessage } from "@galley/engine";
import * as z from "zod";
import type { RunResult } from "../../api/run-event.ts";
import type { StoredRun } from "../../store/ports/run-store.ts";
import type { LoopEnd, Progress } from "./run-loop.ts";

const usageSchema = z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedInputTokens: z.number() });
const contextSchema = z.looseObject({
  switches: z.number().default(0),
  iteration: z.number().default(0),
  atMost: z.number().nullable().default(null),
  usage: usageSchema.default({ inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }),
  digest: z.string().default(""),
  refused: z.record(z.string(), z.string()).default({}),
  reply: z.custom<AssistantMessage>((value) => typeof value === "object" && value !== null).optional(),
  finish: z.enum(["stop", "length", "limit", "content-filter", "other"]).optional(),
});

/** How far a stored run has come. */
export function readProgress(
  stored: StoredRun,
): Progress & { readonly switches: number; readonly end: LoopEnd | undefined } {
  const { switches, iteration, atMost, usage, digest, refused, reply, finish } = contextSchema.parse(
    stored.context ?? {},
  );
  const end = reply && { reply, finish: finish ?? ("other" satisfies RunResult["finish"]) };
  return { switches, iteration, atMost: atMost ?? undefined, usage, digest, refused, calls: stored.calls, end };
}
