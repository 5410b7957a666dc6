import fc from "fast-check";
import { expect, test } from "vitest";
import { entriesOf, groupedHistory, runs } from "../../model/testing/history.ts";
import { checkPreset } from "./check-preset.ts";
import { composePreset } from "../compose-preset.ts";
import type { Preset } from "./preset.ts";
import { simplePreset } from "../testing/preset.ts";
import { toAdvanced, toSimple } from "./simple-mode.ts";

const bytes = (preset: Preset, history: ReturnType<typeof entriesOf>): string =>
  JSON.stringify(composePreset({ preset, history, model: "any", userProfile: "profile" }).messages);

test("[C11] simple → advanced builds the same bytes, and back gives the same list", () => {
  fc.assert(
    fc.property(simplePreset, groupedHistory, (preset, groups) => {
      const history = entriesOf(groups.flat());
      const advanced = toAdvanced(preset);
      expect(checkPreset(advanced)).toEqual([]);
      expect(bytes(advanced, history)).toBe(bytes(preset, history));
      expect(toSimple(advanced, "any")).toEqual(
        preset.presetMessages.map(({ enabled, injectionStrategy, ...node }, index) => ({
          id: `message-${index + 1}`,
          ...node,
          ...(enabled === false ? { enabled } : {}),
          ...(injectionStrategy ? { injectionStrategy } : {}),
        })),
      );
    }),
    runs,
  );
});

const preset: Preset = {
  messageTemplates: [
    { id: "core", role: "system", content: "core" },
    { id: "note", role: "system", content: "note", defaultInjectionStrategy: { depth: 1 } },
    { id: "unused", role: "system", content: "unused" },
  ],
  contextRecipes: [
    {
      id: "claude",
      modelFilter: ["claude-*"],
      steps: [
        { messageId: "core", enabled: true, overrides: { content: "for claude" } },
        { messageId: "note", enabled: true },
      ],
    },
    { id: "rest", modelFilter: ["*"], steps: [{ messageId: "core", enabled: true }] },
  ],
};

test("[C3, C11] the list that simple mode shows has what each step inherits, for the recipe in force", () => {
  expect(toSimple(preset, "claude-3")).toEqual([
    { id: "core", role: "system", content: "for claude" },
    { id: "note", role: "system", content: "note", injectionStrategy: { depth: 1 } },
  ]);
  expect(toSimple(preset, "gpt-5")).toEqual([{ id: "core", role: "system", content: "core" }]);
});
