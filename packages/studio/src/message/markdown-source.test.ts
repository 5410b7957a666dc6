import { expect, test } from "vitest";
import { markFormulas, safeAddress } from "./markdown-source.ts";

test.each([
  ["brackets", String.raw`so \(x^2\) is`, "so $$x^2$$ is"],
  ["a block", String.raw`\[ x \]`, "\n$$\nx\n$$\n"],
  ["single dollars", "the set $A \\cup B$.", "the set $$A \\cup B$$."],
  ["money", "it costs $5 and $6, or $7.", "it costs $5 and $6, or $7."],
  ["names of variables", "set $HOME and $PATH first", "set $HOME and $PATH first"],
  ["double dollars", "$$x$$", "$$x$$"],
  ["inline code", "`$a$` and $a$", "`$a$` and $$a$$"],
  ["a fence that is still open", "```sh\necho $a$\n", "```sh\necho $a$\n"],
])("formulas: %s", (_, text, marked) => {
  expect(markFormulas(text)).toBe(marked);
});

test("only addresses of other sites become links", () => {
  const addresses = [
    "https://a.example/",
    "mailto:a@b.example",
    "javascript:alert(1)",
    "/settings",
    "#x",
    "data:text/html,x",
  ];
  expect(addresses.map(safeAddress)).toEqual([...addresses.slice(0, 2), ...Array.from({ length: 4 })]);
});
