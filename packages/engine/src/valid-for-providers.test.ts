import fc from "fast-check";
import { expect, test } from "vitest";
import { build } from "./fit/build.ts";
import { anyRequest } from "./fit/testing/sessions.ts";
import { GalleyError } from "./model/check/errors.ts";
import { runs } from "./model/testing/history.ts";
import type { ModelMessage } from "./model/messages.ts";
import { exportFor, wireProviders } from "./wire/export-for.ts";

/** A call that waits for its result cannot be sent, and neither can nothing. */
function isUnfinished(messages: readonly ModelMessage[]): boolean {
  let open = 0;
  for (const { content } of messages) {
    if (typeof content === "string") continue;
    for (const part of content) {
      if (part.type === "tool-call") open += 1;
      if (part.type === "tool-result") open -= 1;
    }
  }
  return open > 0 || !messages.some((message) => message.role !== "system");
}

test("[P5] no history and no budget gives a request that a provider would refuse", () => {
  let exported = 0;
  fc.assert(
    fc.property(anyRequest, fc.constantFrom(...wireProviders), ({ request }, provider) => {
      let built;
      try {
        built = build(request);
      } catch (error) {
        return error instanceof GalleyError && error.code === "ContextOverflow";
      }
      if (isUnfinished(built.messages)) return true;
      exportFor(provider, built);
      exported += 1;
      return true;
    }),
    runs,
  );
  // A law that is never put to the test is also kept.
  expect(exported).toBeGreaterThan(runs.numRuns / 3);
});
