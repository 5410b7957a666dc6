import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as root from "./index.ts";
import * as messageTypes from "./messages.ts";
import * as models from "./models.ts";
import * as proof from "./proof.ts";
import * as schemas from "./schemas.ts";
import * as sillytavern from "./sillytavern.ts";
import * as tokens from "./tokens.ts";
import * as wire from "./wire.ts";
import { damaged, damages, planted } from "./model/testing/damage.ts";
import { runs } from "./model/testing/history.ts";
import { publicArguments, publicMethods } from "./model/testing/public-arguments.ts";

const entries = { root, messages: messageTypes, models, proof, schemas, sillytavern, tokens, wire };

type Call = (...values: readonly unknown[]) => unknown;

/** Every function and class behind the package's entries, by name; and the methods of what they give. */
const calls = new Map<string, Call>(Object.entries(publicMethods));
for (const entry of Object.values(entries)) {
  for (const [name, value] of Object.entries(entry)) if (typeof value === "function") calls.set(name, callOf(value));
}

function callOf(value: unknown): Call {
  const isClass = /^class\b/.test(String(value));
  return (...values) =>
    isClass
      ? Reflect.construct(value as new () => unknown, values)
      : Reflect.apply(value as (...all: unknown[]) => unknown, undefined, values);
}

/** Calls it and follows what it gives to its end: a promise, a generator. Gives what was thrown. */
async function thrownBy(call: Call, values: readonly unknown[]): Promise<unknown> {
  try {
    const given = await call(...values);
    if (typeof given === "object" && given !== null && Symbol.iterator in given && !Array.isArray(given)) {
      for (const _ of given as Iterable<unknown>);
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Nothing was thrown, or what a caller can act on; an error that the caller's own function threw is the caller's. */
function expectKnown(error: unknown): void {
  if (error === undefined || error === planted) return;
  if (!(error instanceof root.GalleyError)) throw error;
  expect(Object.keys(root.errorCatalogue)).toContain(error.code);
  expect(error.code).not.toBe("Unexpected");
  expect(error.message).not.toBe("");
}

describe("[E1] whatever it is given, a public name of the engine returns or throws a GalleyError", () => {
  test.each([...calls])("%s", async (name, call) => {
    const valid = publicArguments[name]?.() ?? [];
    await fc.assert(
      fc.asyncProperty(damages, fc.nat(3), async (all, more) => {
        const given = damaged<unknown>(valid.length === 0 ? Array.from({ length: more }) : valid, all);
        expectKnown(await thrownBy(call, Array.isArray(given) ? given : [given]));
        expect(Object.keys(Object.prototype), "nothing is put on all objects").toEqual([]);
        expect(Object.keys(Array.prototype), "nothing is put on all lists").toEqual([]);
      }),
      { numRuns: Math.ceil(runs.numRuns / 5) },
    );
  });
});

test("[E1] what is given to each public name, before it is damaged, is taken", async () => {
  for (const [name, call] of calls) {
    const valid = publicArguments[name];
    expect(valid, `${name} has no valid arguments in public-arguments.ts`).toBeDefined();
    expect(await thrownBy(call, valid?.() ?? []), name).toBeUndefined();
  }
});
