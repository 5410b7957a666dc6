import fc from "fast-check";
import { describe, expect, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import * as root from "./index.ts";
import * as aiSdk from "./ai-sdk.ts";
import * as langchain from "./langchain.ts";
import * as mastra from "./mastra.ts";
import * as openAiAgents from "./openai-agents.ts";
import * as logs from "./logs.ts";
import * as messageTypes from "./messages.ts";
import * as models from "./models.ts";
import * as proof from "./proof.ts";
import * as schemas from "./schemas.ts";
import * as sillytavern from "./sillytavern.ts";
import * as tokens from "./tokens.ts";
import * as wire from "./wire.ts";
import { damaged, damages, planted } from "./model/testing/damage.ts";
import { runs } from "./model/testing/history.ts";
import { publicArguments, publicMethods, publicValues } from "./public-names.test-support.ts";

const plugs = { "ai-sdk": aiSdk, langchain, mastra, "openai-agents": openAiAgents };
const entries = { root, ...plugs, logs, messages: messageTypes, models, proof, schemas, sillytavern, tokens, wire };

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
  if (error.code !== "ContextInvalidInput") return;
  expect(error.message).not.toBe("");
  expect(error.path).toBeDefined();
  expect(error.hint).toBeTruthy();
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
      { numRuns: Math.ceil(runs.numRuns / 8) },
    );
  });
});

test("[E1] every entry of the package is among those whose names are tried", () => {
  // What only tests and editors use is not called by programs.
  const tried = [
    "./testing",
    "./schemas/*",
    ...Object.keys(entries).map((name) => (name === "root" ? "." : `./${name}`)),
  ];
  expect(Object.keys(manifest.exports).sort()).toEqual(tried.sort());
});

test("[E1] what is given to each public name, before it is damaged, is taken", async () => {
  for (const [name, call] of calls) {
    const valid = publicArguments[name];
    expect(valid, `${name} has no valid arguments in public-names.test-support.ts`).toBeDefined();
    expect({ name, thrown: await thrownBy(call, valid?.() ?? []) }).toEqual({ name, thrown: undefined });
  }
});

const { account, letters, messages, simple } = publicValues;
const config = { maxInputTokens: 1000 };
const manager = new root.ContextManager({ config, tokenizer: letters });
const damagedPreset = (node: object): unknown => ({ presetMessages: [{ role: "system", ...node }] });
const call = (input: object): Promise<unknown> => manager.buildContext({ sessionEntries: [], ...input });

test.each<[what: string, call: () => unknown, code: string, path: string]>([
  ["loadTokenizer(undefined)", () => root.loadTokenizer(undefined as never), "ContextInvalidInput", "id"],
  ["new ContextManager({})", () => new root.ContextManager({} as never), "ContextInvalidInput", "config"],
  ["systemPrompt: 5", () => call({ systemPrompt: 5 }), "ContextInvalidInput", "systemPrompt"],
  ["toolSpecs: {}", () => call({ toolSpecs: {} }), "ContextInvalidInput", "toolSpecs"],
  [
    "a tool without a schema",
    () => call({ toolSpecs: [{ name: "a" }] }),
    "ContextInvalidInput",
    "toolSpecs[0].inputSchema",
  ],
  ["variables: {a: 1}", () => call({ variables: { a: 1 } }), "ContextInvalidInput", "variables.a"],
  [
    "a preset's content: 5",
    () => call({ preset: damagedPreset({ content: 5 }) }),
    "PresetInvalid",
    "preset.presetMessages[0].content",
  ],
  [
    "a preset's depth: -1",
    () => root.composePreset({ preset: damagedPreset({ injectionStrategy: { depth: -1 } }) as never }),
    "PresetInvalid",
    "preset.presetMessages[0].injectionStrategy.depth",
  ],
  [
    "an account of one's own",
    () => root.build({ entries: [], config, account: { ...account } }),
    "ContextInvalidInput",
    "account",
  ],
  [
    "exportFor with an unknown name",
    () => root.exportFor("nope" as never, { messages }),
    "ContextInvalidInput",
    "provider",
  ],
  [
    "exportFor with a message that is none",
    () => root.exportFor("gemini", { messages: [5] as never }),
    "ContextInvalidInput",
    "messages[0]",
  ],
  [
    "a position in the ledger that is a prototype",
    () => root.provenance([{ ...publicValues.row, position: "__proto__" as never }]),
    "ContextInvalidInput",
    "ledger[0].position",
  ],
  [
    "a circle in what secrets are taken out of",
    () => root.redactSecrets(publicValues.circle, { key: "secret" }),
    "ContextInvalidInput",
    "value",
  ],
])("[E1] the error says where: %s", async (_, act, code, path) => {
  const error = await Promise.resolve()
    .then(act)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(root.GalleyError);
  expect(error).toMatchObject({ code, path });
});

test("[E1] a preset is checked once, and what a caller changes in a list is looked at again", () => {
  const preset = { ...simple, presetMessages: [{ role: "system" as const, content: "a" }] };
  let reads = 0;
  const watched = new Proxy(preset, {
    get: (target, key) => (key === "macros" && (reads += 1), Reflect.get(target, key) as unknown),
  });
  root.composePreset({ preset: watched });
  const first = reads;
  root.composePreset({ preset: watched });
  expect(reads - first).toBeLessThan(first);
  const tools = [{ name: "look", inputSchema: { type: "object" } }];
  const build = (): unknown => root.build({ entries: [], config, account, tools });
  build();
  tools.push(5 as never);
  expect(build).toThrow("tools[1]");
});
