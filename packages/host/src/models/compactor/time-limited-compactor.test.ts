import { type CompactionRequest, type Compactor, extractiveCompactor } from "@galley/engine";
import { compactorContract } from "@galley/engine/testing";
import { expect, test } from "vitest";
import { timeLimitedCompactor } from "./llm-compactor.ts";

compactorContract("extractive with a time limit", () => timeLimitedCompactor(extractiveCompactor(), 10_000));

const request: CompactionRequest = { messages: [], maxTokens: 10, countTokens: (text) => text.length };
const compactor = (compact: Compactor["compact"]): Compactor => ({ id: "inner", compact });

test("[F9] a compactor that hangs is given up", async () => {
  const limited = timeLimitedCompactor(
    compactor(() => new Promise(() => {})),
    20,
  );
  expect(limited.id).toBe("inner");
  await expect(limited.compact(request)).rejects.toMatchObject({
    code: "CompactionFailed",
    message: "The compactor inner gave no answer within 20 ms.",
  });
});

test("[F9] what the compactor gives or throws in time comes through, however long the limit", async () => {
  const fails = compactor(() => {
    throw new Error("no model");
  });
  await expect(timeLimitedCompactor(fails, 1000).compact(request)).rejects.toThrow("no model");
  const gives = compactor(() => new Promise((resolve) => void setTimeout(resolve, 20, "done")));
  expect(await timeLimitedCompactor(gives, Infinity).compact(request)).toBe("done");
});
