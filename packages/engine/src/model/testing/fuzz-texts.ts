import type { Chance } from "./fuzz-chance.ts";

/** Texts that have broken something somewhere. */
export const oddTexts: readonly string[] = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\uFEFF",
  "\uD800",
  "x\uDFFFy",
  "\u202Etxt.exe\u202C",
  "\u200D\u200B\u2060",
  "e\u0301\u0323\u0302",
  "\u2028\u2029\u0085",
  "\r\n\r\n",
  "\r",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿👩‍👩‍👧",
  "İıſK",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "NaN",
  "-0",
  "1e999",
  "0x10",
  "../../../etc/passwd",
  "C:\\con",
  "%00%2e%2e",
  "' OR 1=1 --",
  "${env:HOME}",
  "$&$1$`$'",
  "\\u0000\\",
  "<START>",
  "</script><!--",
  "\u001B[2J\u0007",
  "(a+)+$",
  "*****?*****",
  "[[[[((((",
  "2026-13-45T99:99:99Z",
];

/** Pieces of the languages that texts of presets and cards may speak. */
const pieces: readonly string[] = [
  "{{",
  "}}",
  "{{{",
  "::",
  ":",
  "{{char}}",
  "{{user}}",
  "{{if x}}",
  "{{if !x}}",
  "{{else}}",
  "{{/if}}",
  "{{trim}}",
  "{{setvar::a::{{getvar::a}}{{getvar::a}}}}",
  "{{addvar::a::1}}",
  "{{incvar::a}}",
  "{{getglobalvar::__proto__}}",
  "{{random::a::b}}",
  "{{pick:a,b\\,c}}",
  "{{roll:999d999999}}",
  "{{newline::1000}}",
  "{{reverse:abc}}",
  "{{outlet::x}}",
  "{{// comment}}",
  "{{lastMessage}}",
  "{{date}}",
  "{{description}}",
  "{{personality}}",
  "{{scenario}}",
  "{{0}}",
  "{0}",
  "<USER>",
  "<BOT>",
  "{{user}}:",
  "@@activate",
  "@@depth 4",
  "\n",
  "/(a+)+$/gi",
];

/** An unexpected text. */
export function oddText(chance: Chance): string {
  switch (chance.below(5)) {
    case 0:
      return macroText(chance);
    case 1:
      return chance.pick(oddTexts).repeat(chance.pick([2, 10, 300]));
    case 2:
      return String.fromCharCode(...Array.from({ length: chance.below(12) }, () => chance.below(0x1_00_00)));
    default:
      return chance.pick(oddTexts);
  }
}

/** Macros in no order. */
export function macroText(chance: Chance): string {
  return Array.from({ length: 1 + chance.below(12) }, () =>
    chance.oneIn(4) ? chance.pick(oddTexts) : chance.pick(pieces),
  ).join("");
}

/** The same text with something in it, without something, or more than once. */
export function spoilText(text: string, chance: Chance): string {
  const at = chance.below(text.length + 1);
  const to = at + chance.below(Math.min(text.length - at, 20) + 1);
  switch (chance.below(6)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(to);
    case 2:
      return text.slice(0, to) + text.slice(at);
    case 3:
      return text.slice(0, 2000).repeat(chance.pick([2, 3, 20]));
    default:
      return text.slice(0, at) + oddText(chance) + text.slice(at);
  }
}
