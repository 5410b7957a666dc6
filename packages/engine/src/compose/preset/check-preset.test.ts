import { expect, test } from "vitest";
import { checkPreset } from "./check-preset.ts";
import { parsePreset } from "./parse-preset.ts";

const template = { id: "a", role: "system", content: "a" };
const advanced = (steps: object[], templates: object[] = [template]): object => ({
  messageTemplates: templates,
  contextRecipes: [{ id: "r", modelFilter: ["*"], steps }],
});
const place = (id: string, anchorTarget?: string): object => ({
  id,
  type: "placeholder",
  role: "system",
  ...(anchorTarget ? { injectionStrategy: { anchorTarget } } : {}),
});
const at = (injectionStrategy: object): object => ({
  presetMessages: [{ role: "system", content: "a", injectionStrategy }],
});

test.each<[string, unknown, string, string]>([
  ["nothing that a preset has", { entries: {} }, "PresetInvalid", ""],
  ["a list", [], "PresetInvalid", ""],
  ["null", null, "PresetInvalid", ""],
  ["templates without recipes", { messageTemplates: [template] }, "PresetInvalid", "contextRecipes"],
  ["a wrong type", { presetMessages: [{ role: "system", content: 7 }] }, "PresetInvalid", "presetMessages[0].content"],
  ["a role that is none", { presetMessages: [{ role: "bot" }] }, "PresetInvalid", "presetMessages[0].role"],
  ["a negative depth", at({ depth: -1 }), "PresetInvalid", "presetMessages[0].injectionStrategy.depth"],
  ["a depth of 1.5", at({ depth: 1.5 }), "PresetInvalid", "presetMessages[0].injectionStrategy.depth"],
  ["a later version", { version: 2, presetMessages: [] }, "PresetInvalid", "version"],
  ["a step without its switch", advanced([{ messageId: "a" }]), "PresetInvalid", "contextRecipes[0].steps[0].enabled"],
  [
    "a reference to no template",
    advanced([{ messageId: "gone", enabled: false }]),
    "UnknownReference",
    "contextRecipes[0].steps[0].messageId",
  ],
  ["two templates of one id", advanced([], [template, template]), "DuplicateId", "messageTemplates[1].id"],
  [
    "two recipes of one id",
    { messageTemplates: [], contextRecipes: [1, 2].map(() => ({ id: "r", modelFilter: ["*"], steps: [] })) },
    "DuplicateId",
    "contextRecipes[1].id",
  ],
  ["two nodes of one id", { presetMessages: [template, template] }, "DuplicateId", "presetMessages[1].id"],
  [
    "the history twice",
    { presetMessages: [1, 2].map(() => ({ type: "chat_history", role: "user" })) },
    "DuplicateId",
    "presetMessages[1]",
  ],
  [
    "an anchor twice in a recipe",
    advanced(
      [1, 2].map(() => ({ messageId: "p", enabled: true })),
      [{ id: "p", role: "placeholder" }],
    ),
    "DuplicateId",
    "contextRecipes[0].steps[1]",
  ],
  [
    "a placeholder named as a built-in anchor",
    { presetMessages: [place("chat_history")] },
    "DuplicateId",
    "presetMessages[0].id",
  ],
  [
    "an anchor that nothing defines",
    at({ anchorTarget: "world" }),
    "UnknownAnchor",
    "presetMessages[0].injectionStrategy.anchorTarget",
  ],
  [
    "a default strategy with such an anchor",
    advanced([], [{ ...template, defaultInjectionStrategy: { anchorTarget: "world" } }]),
    "UnknownAnchor",
    "messageTemplates[0].defaultInjectionStrategy.anchorTarget",
  ],
  [
    "anchors in a circle",
    { presetMessages: [place("a", "b"), place("b", "a")] },
    "AnchorCycle",
    "presetMessages[0].injectionStrategy",
  ],
  ["an anchor in itself", { presetMessages: [place("a", "a")] }, "AnchorCycle", "presetMessages[0].injectionStrategy"],
  [
    "the history inside itself",
    { presetMessages: [{ type: "chat_history", role: "user", injectionStrategy: { depth: 2 } }] },
    "AnchorCycle",
    "presetMessages[0].injectionStrategy",
  ],
])("[C3] [C9] %s is an error with its path", (_, value, code, path) => {
  const errors = checkPreset(value).filter((problem) => problem.severity === "error");
  expect(errors[0]).toMatchObject({ code, path });
  expect(errors).toHaveLength(1);
  expect(() => parsePreset(value)).toThrow(expect.objectContaining({ code, path }));
});

test("[E] all problems come at once", () => {
  const problems = checkPreset({ presetMessages: [{ role: "bot" }, { role: "user", content: 1 }], version: "x" });
  const paths = new Set(problems.map((problem) => problem.path));
  expect(paths).toEqual(new Set(["version", "presetMessages[0].role", "presetMessages[1].content"]));
  expect(problems).toHaveLength(3);
});

test("[C1] unknown fields are reported, kept and not fatal", () => {
  const value = { presetMessages: [{ role: "user", content: "a", colour: "red" }], mine: { x: 1 } };
  const { preset, warnings } = parsePreset(JSON.stringify(value));
  expect(preset).toEqual(value);
  expect(warnings.map(({ path, severity }) => [severity, path])).toEqual([
    ["warning", "presetMessages[0].colour"],
    ["warning", "mine"],
  ]);
});

test("[C1] with recipes, presetMessages has no effect, and that is said", () => {
  const { warnings } = parsePreset({ presetMessages: [], ...advanced([]) });
  expect(warnings).toMatchObject([{ severity: "warning", path: "presetMessages" }]);
});

test("[E] NUL, lone surrogates and hostile names are text like any other", () => {
  const content = "\u0000 \ud800 {{__proto__}} ${x}";
  const { preset } = parsePreset(
    `{"presetMessages":[{"role":"user","content":${JSON.stringify(content)}}],"__proto__":{"a":1}}`,
  );
  expect(preset.presetMessages?.[0]?.content).toBe(content);
});

test("[E] a preset of 10 MB is read: long texts, many templates, long chains of anchors", () => {
  const chain = Array.from({ length: 40_000 }, (_, index) =>
    place(`p${index}`, index > 0 ? `p${index - 1}` : undefined),
  );
  const long = { role: "system", content: "x".repeat(7_000_000) };
  const { preset, warnings } = parsePreset({ presetMessages: [long, ...chain] });
  expect(warnings).toEqual([]);
  expect(preset.presetMessages).toHaveLength(40_001);
});
