import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../model/testing/history.ts";
import { tavernMacros } from "./tavern-macros.ts";

const values = new Map([
  ["char", "Ines"],
  ["user", "Tom"],
  ["description", "{{char}} of the light"],
  ["loop", "a{{pool}}"],
  ["pool", "b{{loop}}"],
  ["outlet::gate", "open"],
  ["outlet::quay", "{{char}}'s quay"],
  ["outlet::ring", "o{{outlet::ring}}"],
]);
const sources = {
  lookup: (name: string): string | undefined => values.get(name) ?? values.get(name.toLowerCase()),
  now: "2026-11-15T21:05:00+08:00",
  chat: [
    { role: "assistant", text: "hello" },
    { role: "user", text: "hi" },
  ],
};

function expanded(text: string): { readonly text: string; readonly unknown: string[] } {
  const unknown: string[] = [];
  return { text: tavernMacros(sources)(text, (name) => unknown.push(name)), unknown };
}

test.each([
  ["{{char}} and {{User}}", "Ines and Tom"],
  ["{{description}}", "Ines of the light"],
  ["a\n\n{{trim}}\n\nb", "ab"],
  ["a{{newline}}b{{newline::2}}c{{noop}}", "a\nb\n\nc"],
  ["a{{// not {{char}} sent }}b", "ab"],
  ["{{time}} {{date}} {{weekday}} {{isotime}} {{isodate}}", "9:05 PM November 15, 2026 Sunday 21:05 2026-11-15"],
  ["{{setvar::x::1}}{{addvar::x::2}}{{incvar::x}} {{getvar::x}}{{decvar::x}}", "4 43"],
  ["{{setvar::x::{{char}}!}}{{addvar::x::?}}{{getvar::x}}", "Ines!?"],
  ["{{setglobalvar::x::g}}{{getvar::x}}{{getglobalvar::x}}", "g"],
  ["{{outlet::gate}}{{outlet::none}}", "open"],
  ["{{outlet::quay}}", "Ines's quay"],
  ["{{reverse:abc}}", "cba"],
  ["{{lastMessage}} {{lastUserMessage}} {{lastCharMessage}} {{lastMessageId}}", "hi hi hello 1"],
  ["{{if char}}yes{{else}}no{{/if}} {{if !char}}yes{{else}}no{{/if}} {{if 0}}x{{/if}}", "yes no "],
  ["{{if 0}}{{setvar::x::1}}{{/if}}[{{getvar::x}}]", "[]"],
  ["{{if::1::yes::no}}", "yes"],
  ["{{random::a}}{{pick::b}}{{roll:d1}}{{roll:2d1+3}}", "ab15"],
])("[C10] %j is %j", (source, text) => {
  expect(expanded(source)).toEqual({ text, unknown: [] });
});

test.each([
  ["{{nobody}} {{nothing}}", "{{nobody}} {{nothing}}", ["nobody", "nothing"]],
  ["{{", "{{", []],
  ["}} {{char", "}} {{char", []],
  ["{{char {{user}}", "{{char Tom", []],
  ["{{loop}}", "ab{{loop}}", ["loop"]],
  ["{{outlet::ring}}", "o{{outlet::ring}}", ["outlet::ring"]],
  ["{{if char}}open", "{{if char}}open", ["if"]],
])("[C10] %j stays where it has no value or no end, and is told", (source, text, unknown) => {
  expect(expanded(source)).toEqual({ text, unknown });
});

test("[C10] chance comes from the seed: the same build draws the same, picks hold still, and all are drawn", () => {
  const draw = (seed: string, source: string): string => tavernMacros({ ...sources, seed })(source, () => {});
  expect(draw("1", "{{random::a::b::c}}{{roll:d20}}")).toBe(draw("1", "{{random::a::b::c}}{{roll:d20}}"));
  const seen = new Set(Array.from({ length: 50 }, (_, seed) => draw(String(seed), "{{random:a,b,c}}")));
  expect([...seen].toSorted()).toEqual(["a", "b", "c"]);
  expect(new Set(Array.from({ length: 9 }, (_, seed) => draw(String(seed), "{{pick::a::b::c}}"))).size).toBe(1);
});

test("[C10] values that multiply are stopped", () => {
  const wide = (name: string): string => `{{${name}}}`.repeat(3000);
  const texts = new Map([
    ["a", wide("b")],
    ["b", wide("c")],
    ["c", "x".repeat(1000)],
  ]);
  const unknown = new Set<string>();
  const text = tavernMacros({ lookup: (name) => texts.get(name) })("{{a}}", (name) => unknown.add(name));
  expect(text.length).toBeLessThan(10_000_000);
  expect(unknown.size).toBeGreaterThan(0);
});

test("[C10] values that lead to each other in a long line are stopped", () => {
  const lookup = (name: string): string => `{{v${Number(name.slice(1)) + 1}}}`;
  const unknown: string[] = [];
  expect(tavernMacros({ lookup })("{{v0}}", (name) => unknown.push(name))).toBe("{{v100}}");
  expect(unknown).toEqual(["v100"]);
});

test("[C10] a condition of a megabyte of spaces is read at once", () => {
  const source = `{{if${" ".repeat(1_000_000)}:x}}`;
  expect(expanded(source).text).toBe("");
});

test("[C10] text without a macro that is known comes back as it was", () => {
  const piece = fc.constantFrom("{{", "}}", "{", "}", "zz", " ", "::", "\n", "{{zz}}", "//");
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const source = pieces.join("").replaceAll(/\{\{\s*\/\//g, "{{zz");
      return expanded(source).text === source;
    }),
    runs,
  );
});
