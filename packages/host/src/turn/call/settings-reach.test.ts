import type { ModelMessage, Preset } from "@galley/engine";
import { expect, test } from "vitest";
import { type ContextSettings, settingKeys } from "../../config/settings-in-force.ts";
import type { Galley, OpenGalleyOptions } from "../../galley/galley.ts";
import { dataFolder, galleyIn } from "../../galley/testing/temp-galley.ts";
import type { TurnPlace, TurnRequest } from "../services/turn-types.ts";

/** A value for every key, none of which is the default. */
const all = {
  systemPrompt: "Speak like a pilot.",
  maxInputTokens: 5000,
  reserveOutputTokens: 500,
  maxHistoryMessages: 10,
  targetRatio: 0.9,
  compaction: { name: "mine" },
  runtimeData: { team: "blue" },
  hints: { mood: "calm" },
  userProfile: "A user who sails.",
  variables: { pet: "cat" },
  toolSteps: "keep",
  ownTools: "none",
  recall: false,
  pins: "model",
  language: "zh",
} as const satisfies { readonly [Key in keyof ContextSettings]-?: ContextSettings[Key] };

type Key = keyof typeof all;
const inPresets: readonly Key[] = [
  "systemPrompt",
  "variables",
  "hints",
  "userProfile",
  "language",
  "maxHistoryMessages",
  "targetRatio",
];

const presetMessages: Preset["presetMessages"] = [
  { id: "main", role: "system", content: "The pet is a {{pet}}." },
  { id: "who", role: "system", type: "user_profile" },
  { id: "chat_history", role: "user", type: "chat_history" },
];
const said = Array.from({ length: 12 }, (_, index): ModelMessage & { role: "user" | "assistant" } =>
  index % 2 === 0
    ? { role: "user", content: `q${index} We must decide on harbour ${index}.` }
    : { role: "assistant", content: `a${index} The decision: harbour ${index} costs 40 coins.` },
);

interface Face {
  readonly name: string;
  readonly keys: readonly Key[];
  readonly place: TurnPlace;
  readonly options?: (given: ContextSettings) => OpenGalleyOptions;
  readonly set?: (galley: Galley, given: ContextSettings) => Promise<void>;
  readonly request?: (given: ContextSettings) => Partial<TurnRequest>;
}

const keys = Object.keys(all) as readonly Key[];
const chat = { chat: "demo" };
const compactors = [{ name: "mine", compact: async () => "My own summary." }];
const mara = (context?: ContextSettings) => ({
  compactors,
  agents: [{ name: "mara", command: "none", ...(context ? { context } : {}) }],
});
const faces: readonly Face[] = [
  { name: "galley.config", keys, place: chat, options: (context) => ({ config: { compactors, context } }) },
  {
    name: "openGalley",
    keys,
    place: { session: "log" },
    options: (context) => ({ config: { compactors }, context }),
  },
  { name: "an agent", keys, place: { agent: "mara" }, options: (context) => ({ config: mara(context) }) },
  {
    name: "a preset",
    keys: inPresets,
    place: chat,
    request: (context) => ({ preset: { presetMessages, context } }),
  },
  { name: "a chat", keys, place: chat, set: ({ chats }, context) => chats.configure("demo", { context }) },
  {
    name: "a session",
    keys,
    place: { session: "log" },
    set: ({ sessions }, context) => sessions.configure("log", { context }),
  },
  {
    name: "an agent's chat",
    keys,
    place: { agent: "mara" },
    options: () => ({ config: mara() }),
    set: ({ chats }, context) => chats.configure("agent:mara", { context }),
  },
  { name: "a request", keys, place: chat, request: (context) => ({ context }) },
  {
    name: "the short forms of a request",
    keys: ["maxInputTokens", "systemPrompt", "variables"],
    place: chat,
    request: () => ({ budget: all.maxInputTokens, system: all.systemPrompt, variables: all.variables }),
  },
];

/** What of a build says that a setting has reached it; without the setting none of these holds. */
interface Built {
  readonly messages: readonly ModelMessage[];
  readonly text: string;
  readonly tools: readonly string[];
  readonly budget: number;
  readonly values: Readonly<Record<string, unknown>>;
}
const textIn = (message: ModelMessage | undefined): string =>
  typeof message?.content === "string" ? message.content : "";
const sentHistory = ({ messages }: Built): number =>
  messages.filter((message) => /^(?:[qa]\d+ |now$)/.test(textIn(message))).length;
const probes: { readonly [Name in Key]: (built: Built) => boolean } = {
  systemPrompt: ({ messages }) => textIn(messages[0]).startsWith(all.systemPrompt),
  maxInputTokens: ({ budget }) => budget <= all.maxInputTokens,
  reserveOutputTokens: ({ budget }) => budget === all.maxInputTokens - all.reserveOutputTokens,
  maxHistoryMessages: (built) => sentHistory(built) < said.length,
  targetRatio: (built) => sentHistory(built) === 9,
  compaction: ({ text }) => text.includes("My own summary."),
  runtimeData: ({ text }) => text.includes("team: blue"),
  hints: ({ text }) => text.includes("mood: calm"),
  userProfile: ({ text }) => text.includes(all.userProfile),
  variables: ({ text }) => text.includes("The pet is a cat."),
  toolSteps: ({ values }) => values["toolSteps"] === "keep",
  ownTools: ({ tools }) => !tools.includes("delegate_async"),
  recall: ({ tools }) => !tools.includes("context_recall"),
  pins: ({ values }) => values["pins"] === "model",
  language: ({ values }) => values["language"] === "zh",
};

async function buildIn(face: Face, given: ContextSettings): Promise<Built> {
  const galley = await galleyIn(dataFolder(), face.options?.(given) ?? { config: { compactors } });
  await galley.handover.saveProfile("helper", "You help.");
  await galley.presets.save("pet", { preset: { version: 1, presetMessages }, expectedVersion: 0 });
  const { session: sessionId, agent } = face.place;
  if (sessionId === undefined)
    await (await galley.chats.open(agent === undefined ? "demo" : `agent:${agent}`)).append(said);
  else {
    const entries = said.map((message, ts) => ({ id: `e${ts}`, ts, type: "message", message }) as const);
    await galley.store.sessions.append({ projectId: galley.project, sessionId }, entries);
  }
  await face.set?.(galley, given);
  const turn = await galley.turn({
    ...face.place,
    model: "gpt-6.1-sol",
    preset: "pet",
    input: "now",
    ...face.request?.(given),
  });
  await turn.abort();
  const { messages, tools, session, n } = turn;
  const stored = await galley.store.builds.read({ projectId: galley.project, sessionId: session }, n);
  return {
    messages,
    text: JSON.stringify(messages),
    tools: tools.map(({ name }) => name),
    budget: stored?.budget ?? 0,
    values: Object.fromEntries((stored?.settings ?? []).map(({ key, value }) => [key, value])),
  };
}

test("[T3] every key has a value here", () => {
  expect(keys.toSorted()).toEqual(settingKeys.toSorted());
});

test.each(faces)("[T3] what $name says reaches the build, key by key", async (face) => {
  const given = Object.fromEntries(face.keys.map((key) => [key, all[key]]));
  const built = await buildIn(face, given);
  const reached = face.keys.filter((key) => probes[key](built));
  expect(reached).toEqual(face.keys);
});

test("[T3] without settings nothing of it is there, so that the table proves something", async () => {
  const built = await buildIn({ name: "nothing", keys, place: chat }, {});
  expect(keys.filter((key) => probes[key](built))).toEqual([]);
});

test("[T3a] a limit that was set is taken as it is, less a reserve that was set; the usual reserve is the window's", async () => {
  const galley = await galleyIn();
  const budgetOf = async (context: ContextSettings): Promise<number> =>
    (await galley.settingsFor({ chat: "demo", model: "gpt-6.1-sol", context })).budget;
  const usual = await budgetOf({});
  expect(await budgetOf({ maxInputTokens: 9000 })).toBe(9000);
  expect(await budgetOf({ maxInputTokens: 9000, reserveOutputTokens: 1000 })).toBe(8000);
  expect(await budgetOf({ maxInputTokens: usual + 1 })).toBe(usual + 1);
  expect(await budgetOf({ reserveOutputTokens: 0 })).toBeGreaterThan(usual);
  const context = { maxInputTokens: 10, reserveOutputTokens: 10 };
  const none = { code: "ContextInvalidInput", path: "context.reserveOutputTokens" };
  await expect(galley.turn({ chat: "demo", input: "hello", context })).rejects.toMatchObject(none);
  // Looking at settings tells what a turn would stumble over, so that it can be mended.
  expect(await galley.settingsFor({ chat: "demo", context })).toMatchObject({ budget: 0, problems: [none] });
});

test("[T3] what an agent's providers say stands behind the system prompt and is not replaced by it", async () => {
  const galley = await galleyIn(dataFolder(), { config: mara({ systemPrompt: "In front." }) });
  const turn = await galley.turn({ agent: "mara", model: "demo", input: "hello", system: "Before all." });
  const [first] = turn.messages;
  expect(textIn(first)).toMatch(/^Before all\.\n\n[\s\S]*mara/);
  expect(textIn(first)).not.toContain("In front.");
  await turn.abort();
});

test.each<[string, object, string, RegExp]>([
  ["an unknown field", { budgett: 5 }, "budgett", /chat, .*context/],
  ["a model that is an object", { model: { id: "x" } }, "model", /chat, .*context/],
  ["an unknown setting", { context: { targetRate: 1 } }, "context.targetRate", /systemPrompt, .*targetRatio/],
  ["settings of the wrong type", { context: { targetRatio: "half" } }, "context.targetRatio", /cut down to this share/],
  ["a limit that there is not", { limits: { maxSteps: 3 } }, "limits.maxSteps", /maxCalls/],
  ["a budget in words", { budget: "32k" }, "budget", /chat, .*context/],
])("[T3c] %s in a request is an error with its path and a hint", async (_, given, path, hint) => {
  const galley = await galleyIn();
  const request = { chat: "demo", input: "hello", ...given } as TurnRequest;
  const error = { code: "ContextInvalidInput", path, hint: expect.stringMatching(hint) };
  await expect(galley.turn(request)).rejects.toMatchObject(error);
  await expect(galley.run(request).result).rejects.toMatchObject(error);
});

test("[T3c] unknown options of openGalley, and wrong ones, are errors with their path", async () => {
  for (const [given, path] of [
    [{ summaries: "none" }, "summaries"],
    [{ context: { colour: "red" } }, "context.colour"],
    [{ data: 5 }, "data"],
  ] as const) {
    await expect(galleyIn(dataFolder(), given as unknown as OpenGalleyOptions)).rejects.toMatchObject({ path });
  }
});

test("[T3c] what cannot be set is not kept: unknown fields, and a compactor that there is not", async () => {
  const galley = await galleyIn();
  const context: ContextSettings = { compaction: { name: "nobody" } };
  for (const set of [
    (given: object) => galley.chats.configure("demo", given),
    (given: object) => galley.sessions.configure("log", given),
  ]) {
    await expect(set({ contxt: {} })).rejects.toMatchObject({ code: "ContextInvalidInput", path: "contxt" });
    await expect(set({ context })).rejects.toMatchObject({ code: "NotFound", path: "context.compaction.name" });
  }
  expect([await galley.chats.settings("demo"), await galley.sessions.settings("log")]).toEqual([{}, {}]);
  const [problem] = (await galley.settingsFor({ chat: "demo", context })).problems;
  expect(problem).toMatchObject({ code: "NotFound", path: "context.compaction.name" });
  const model = galley.turn({ chat: "demo", input: "hello", context: { compaction: { model: "nobody/none" } } });
  await expect(model).rejects.toMatchObject({ code: "ModelUnavailable", path: "context.compaction.model" });
});

test("[T3b] a preset may not set what reads the environment or costs money", async () => {
  const galley = await galleyIn();
  const preset = { presetMessages: [], context: { compaction: { model: "gpt-6.1-sol" } } } as unknown as Preset;
  const error = { code: "PresetInvalid", path: "context.compaction", hint: expect.stringContaining("systemPrompt") };
  await expect(galley.turn({ chat: "demo", input: "hello", preset })).rejects.toMatchObject(error);
  await expect(galley.presets.save("p", { preset, expectedVersion: 0 })).rejects.toMatchObject(error);
});

test("[T3] what galley.config says reaches tasks as well, and what it says of their profile wins", async () => {
  const profile = { name: "helper", text: "You help.", context: { hints: { sea: "low" }, maxInputTokens: 5000 } };
  const context = {
    systemPrompt: "Speak like a pilot.",
    maxInputTokens: 9000,
    hints: { mood: "calm" },
    ownTools: "none",
  };
  const galley = await galleyIn(dataFolder(), {
    config: { context: context as ContextSettings, profiles: [profile] },
  });
  const { task_id: id } = await galley.handover.delegate({ profile: "helper", instruction: "Say hello." });
  await galley.handover.waitFor(id);
  const build = await galley.store.builds.read({ projectId: galley.project, sessionId: `task:${id}` }, 1);
  expect(build?.messages[0]).toEqual({ role: "system", content: "Speak like a pilot." });
  expect(JSON.stringify(build?.messages)).toContain("mood: calm\\nsea: low");
  expect([build?.budget, build?.tools]).toEqual([5000, []]);
});
