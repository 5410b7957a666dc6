import fc from "fast-check";
import { test } from "vitest";
import type { SessionEntry } from "../model/entries.ts";
import { GalleyError } from "../model/check/errors.ts";
import { runs } from "../model/testing/history.ts";
import type { Compactor } from "./compactor/compactor.ts";
import { ContextManager } from "./context-manager.ts";
import { bytes, countOf, tryBuild } from "./testing/built.ts";
import { anyRequest, quarter, someRepeats, wildHistory, withRepeats } from "./testing/sessions.ts";
import { plan } from "./plan.ts";

test("[M5] compaction upon compaction loses nothing that is neither summarised, dropped nor kept", async () => {
  const compactor: Compactor = {
    id: "short",
    compact: async ({ previousSummary }) => `${previousSummary ?? ""}+`.slice(-6),
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(wildHistory, someRepeats), { minLength: 2, maxLength: 5 }),
      fc.boolean(),
      async (parts, isCompacting) => {
        const manager = new ContextManager({
          config: { maxInputTokens: 400 },
          tokenizer: quarter,
          ...(isCompacting ? { compactor } : {}),
        });
        let session: SessionEntry[] = [];
        for (const [turn, [groups, repeats]] of parts.entries()) {
          const messages = groups.flat().map((message, index) => ({ ...message, id: `t${turn}-${index}` }));
          let result;
          try {
            result = await manager.buildContext({ sessionEntries: session, inputMessages: messages });
          } catch (error) {
            if (error instanceof GalleyError && error.code === "ContextOverflow") return true;
            throw error;
          }
          session.push(...result.entriesToAppend);
          const total = session.filter((entry) => entry.type === "message").length;
          if (countOf(result.build) !== total) return false;
          session = session.concat(withRepeats(session, repeats).slice(session.length));
        }
        return true;
      },
    ),
    { numRuns: Math.ceil(runs.numRuns / 4) },
  );
});

const failing: Compactor[] = [
  { id: "throws", compact: () => Promise.reject(new Error("no")) },
  {
    id: "throws at once",
    compact: () => {
      throw new Error("no");
    },
  },
  { id: "empty", compact: async () => " \n" },
  { id: "grows", compact: async () => "x".repeat(100_000) },
  { id: "no text", compact: async () => 7 as unknown as string },
];

test("[F9] a compactor that fails in any way changes nothing: the build is that without one, and says so", async () => {
  await fc.assert(
    fc.asyncProperty(anyRequest, fc.constantFrom(...failing), async ({ request }, compactor) => {
      const expected = tryBuild({ ...request, hints: {}, runtimeInit: {} });
      if (!expected) return true;
      const { config, preset, systemPrompt, entries, tools, userProfile } = request;
      const manager = new ContextManager({ config, tokenizer: quarter, compactor, preset, systemPrompt });
      const before = JSON.stringify(entries);
      const result = await manager.buildContext({ sessionEntries: entries, toolSpecs: tools, userProfile });
      const wasAsked = plan({ ...request, hints: {}, runtimeInit: {} }).toSummarise.length > 0;
      const isSaid = result.problems.some((problem) => problem.code === "CompactionFailed");
      return bytes(result.build) === bytes(expected) && JSON.stringify(entries) === before && (!wasAsked || isSaid);
    }),
    runs,
  );
});
