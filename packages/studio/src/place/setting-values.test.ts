import { expect, test } from "vitest";
import { type SettingName, settingOfText, textOfSetting } from "./setting-values.ts";

test.each<[SettingName, unknown, string]>([
  ["systemPrompt", "Be brief.\nAnd kind.", "Be brief.\nAnd kind."],
  ["maxInputTokens", 32_000, "32000"],
  ["targetRatio", 0.7, "0.7"],
  ["compaction", "off", "off"],
  [
    "compaction",
    { model: "gpt-6.1-sol", instructions: "keep names" },
    '{"model":"gpt-6.1-sol","instructions":"keep names"}',
  ],
  ["hints", { mood: "calm", place: "a = b" }, "mood = calm\nplace = a = b"],
  ["ownTools", ["chat", "delegate_async"], "chat, delegate_async"],
  ["ownTools", "none", "none"],
  ["toolSteps", null, "null"],
])("[T3] the setting %s is a text in its field, and the same value again", (name, value, text) => {
  expect(textOfSetting(name, value)).toBe(text);
  expect(settingOfText(name, text)).toEqual(value);
});

test.each<[SettingName, string, unknown]>([
  ["maxInputTokens", "32k", 32_000],
  ["maxInputTokens", "many", "many"],
  ["runtimeData", "{torn", "{torn"],
  ["ownTools", "chat，canvas", ["chat", "canvas"]],
  ["variables", "char", { char: null }],
  ["hints", "  ", undefined],
])(
  "[T3] %s is read as a person types it, and what cannot be read is left for the daemon to refuse",
  (name, text, value) => {
    expect(settingOfText(name, text)).toEqual(value);
  },
);
