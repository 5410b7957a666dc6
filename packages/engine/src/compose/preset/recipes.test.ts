import { expect, test } from "vitest";
import { entriesOf, textOf } from "../../model/testing/history.ts";
import { getAvailableAnchors } from "./preset-items.ts";
import { composePreset } from "../compose-preset.ts";
import type { ContextRecipe, Preset } from "./preset.ts";
import { selectRecipe } from "./select-recipe.ts";

const recipe = (id: string, ...modelFilter: string[]): ContextRecipe => ({ id, modelFilter, steps: [] });

test.each([
  ["gpt-4-turbo", "exact", "exact"],
  ["gpt-4-mini", "long", "wildcard"],
  ["gpt-5", "short", "wildcard"],
  ["my-gpt-4-preview", "inside", "wildcard"],
  ["claude-sonnet-4-5", "rest", "default"],
  ["*", "rest", "default"],
])("[C2] %s is built with the recipe %s", (model, id, rule) => {
  const recipes = [
    recipe("rest", "*"),
    recipe("short", "gpt-*"),
    recipe("long", "gpt-4-*"),
    recipe("same length, listed later", "gpt-4-*"),
    recipe("inside", "*gpt-4*view"),
    recipe("exact", "other", "gpt-4-turbo"),
  ];
  expect(selectRecipe(recipes, model)).toMatchObject({ recipe: { id }, rule });
});

test.each([
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["a**b", "ab", true],
  ["*x*y", "yx", false],
  ["a*b*c", "abbc", true],
  ["a*bc*c", "abc", false],
  [`${"*a".repeat(5000)}*b`, "a".repeat(20_000), false],
])("[C2] wildcards: %s on %s", (pattern, model, matches) => {
  const recipes = [recipe("r", pattern), recipe("rest", "*")];
  expect(selectRecipe(recipes, model).recipe.id).toBe(matches ? "r" : "rest");
});

test("[C2] no match and no * is an error that names the model and what there is", () => {
  expect(() => selectRecipe([recipe("a", "gpt-*")], "claude-3")).toThrow(
    expect.objectContaining({
      code: "RecipeNotFound",
      message: expect.stringContaining('"claude-3"'),
      hint: expect.stringContaining("gpt-*"),
    }),
  );
  expect(() => selectRecipe([], undefined)).toThrow(/No model was named/);
});

const preset: Preset = {
  messageTemplates: [
    { id: "core", role: "system", content: "core" },
    { id: "history", role: "user", type: "chat_history" },
    { id: "note", role: "system", content: "note", defaultInjectionStrategy: { depth: 1 } },
  ],
  contextRecipes: [
    {
      id: "main",
      modelFilter: ["*"],
      steps: [
        { messageId: "note", enabled: true },
        { messageId: "note", enabled: true, injectionStrategy: {}, overrides: { content: "own", role: "user" } },
        { messageId: "note", enabled: true, injectionStrategy: { depth: 0 } },
        { messageId: "core", enabled: true },
        { messageId: "core", enabled: false },
        { messageId: "history", enabled: true },
      ],
    },
  ],
};

test("[C3] a step takes its template, then its overrides; its strategy, else the template's default", () => {
  const history = entriesOf([
    { role: "user", content: "h1" },
    { role: "assistant", content: "h2" },
  ]);
  const { messages, ledger, recipe: match } = composePreset({ preset, history, model: "any" });
  expect(messages.map((message) => `${message.role} ${textOf(message)}`)).toEqual([
    "user own",
    "system core",
    "user h1",
    "system note",
    "assistant h2",
    "system note",
  ]);
  expect(match).toMatchObject({ pattern: "*", rule: "default", recipe: { id: "main" } });
  expect(ledger.slice(0, 6).map((row) => [row.id, row.fate])).toEqual([
    ["note", "kept"],
    ["note#2", "kept"],
    ["note#3", "kept"],
    ["core", "kept"],
    ["core#2", "disabled"],
    ["history", "anchor"],
  ]);
});

test("[C8] the anchors are the built-in ones and then the custom ones, each once", () => {
  const anchors = getAvailableAnchors([
    { role: "system", type: "placeholder", id: "world" },
    { role: "placeholder", id: "lore" },
    { role: "system", type: "placeholder", id: "world" },
    { role: "system", type: "placeholder" },
    { role: "user", type: "chat_history", id: "mine" },
    { role: "system", id: "plain" },
  ]);
  expect(anchors).toEqual(["chat_history", "user_profile", "world", "lore"]);
});
