import { expect, test } from "vitest";
import { contextSettingsSchema } from "../api/context-settings.ts";
import { parseAs } from "../api/parse-as.ts";
import { defaultContextSettings, layerSettings, settingsInForce } from "./settings-in-force.ts";

test("[T3] the later layer wins, maps are merged by name, null sets back, and every value says where it came from", () => {
  const { settings, sources } = layerSettings([
    { from: "config", settings: { systemPrompt: "a", targetRatio: 0.8, hints: { x: "1", y: "1" }, ownTools: "none" } },
    { from: "agent", settings: { runtimeData: { team: "blue" }, variables: { char: "Ada" } } },
    { from: "preset", settings: { systemPrompt: "b", hints: { y: "2" } } },
    { from: "chat", settings: { targetRatio: null, runtimeData: { floor: 3 }, ownTools: ["chat"] } },
    { from: "request", settings: { hints: { z: "3" }, variables: null } },
  ]);
  expect(settings).toEqual({
    ...defaultContextSettings,
    systemPrompt: "b",
    hints: { x: "1", y: "2", z: "3" },
    runtimeData: { team: "blue", floor: 3 },
    ownTools: ["chat"],
  });
  expect(sources).toMatchObject({
    systemPrompt: { from: "preset" },
    targetRatio: { from: "chat" },
    hints: { from: "request", keys: { x: "config", y: "preset", z: "request" } },
    runtimeData: { from: "chat", keys: { team: "agent", floor: "chat" } },
    variables: { from: "request" },
    language: { from: "default" },
  });
});

test("[T3] a word for runtime data replaces what was merged, and an object after it begins again", () => {
  const { settings } = layerSettings([
    { from: "config", settings: { runtimeData: { team: "blue" } } },
    { from: "chat", settings: { runtimeData: "environment" } },
    { from: "request", settings: { runtimeData: { floor: 3 } } },
  ]);
  expect(settings.runtimeData).toEqual({ floor: 3 });
});

test.each<[string, object, string, RegExp, RegExp]>([
  ["an unknown key", { sytemPrompt: "x" }, "context.sytemPrompt", /^Unknown field "sytemPrompt".$/, /targetRatio/],
  ["a text for a number", { maxInputTokens: "32k" }, "context.maxInputTokens", /number/, /window/],
  ["a share above 1", { targetRatio: 2 }, "context.targetRatio", /up to 1/, /cut down to this share/],
  ["an unknown compaction", { compaction: "on" }, "context.compaction", /"extractive"/, /summary/],
  [
    "a field too many",
    { compaction: { model: "a", prompt: "b" } },
    "context.compaction.prompt",
    /Unknown field/,
    /instructions/,
  ],
  ["a hint that is not a text", { hints: { a: 1 } }, "context.hints.a", /string/, /holds just now|by name/],
  ["a language that there is not", { language: "fr" }, "context.language", /zh/, /labels/],
  ["a key that comes later", { pinboard: "model" }, "context.pinboard", /Unknown field/, /targetRatio/],
  ["a word that no pins have", { pins: "everybody" }, "context.pins", /person/, /may pin/],
])("[T3] %s is an error with its path and a hint", (_, given, path, message, hint) => {
  expect(() => parseAs(contextSettingsSchema, given, "context", "ContextInvalidInput")).toThrow(
    expect.objectContaining({
      code: "ContextInvalidInput",
      path,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  );
});

test("[T3] settings are listed with their values, in one order, and say where they have no effect", () => {
  const list = settingsInForce(layerSettings([{ from: "agent", settings: { maxInputTokens: 100 } }]), {
    maxInputTokens: "its program fits its own window",
  });
  expect(list.find(({ key }) => key === "maxInputTokens")).toEqual({
    key: "maxInputTokens",
    value: 100,
    from: "agent",
    unused: "its program fits its own window",
  });
  expect(list.find(({ key }) => key === "compaction")).toEqual({
    key: "compaction",
    value: "extractive",
    from: "default",
  });
});
