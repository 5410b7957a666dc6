import { errorCatalogue } from "@galley/engine";
import { expect, test } from "vitest";
import type { Dictionary } from "./dictionary.ts";
import { meaningOf } from "./error-meanings.ts";

/** Every text of a dictionary by its path; those that are made of figures are made of the figure 1. */
function textsOf(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return made(value, path);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => textsOf(item, `${path}.${key}`));
}

/** A figure comes as a number, or as it is written: of the two, the text with the number stands for both where it is right. */
function made(make: Function, path: string): readonly (readonly [string, string])[] {
  const texts = [1, "1"].flatMap((argument) => {
    try {
      return [textsOf(make(...Array.from({ length: make.length }, () => argument)), path)];
    } catch {
      // It is made of something else than figures.
      return [];
    }
  });
  return texts.find((each) => each.every(([, text]) => !manyOfOne.test(text))) ?? texts[0] ?? [];
}

const manyOfOne = /(?<!of )(?<![\d.,])\b1 (?!is\b|was\b|has\b|this\b|as\b|leaves\b|comes\b|ms\b)[a-z]+(?<!s)s\b/u;

const modules = import.meta.glob<Record<string, unknown>>(["./*.ts", "!./*.test.ts", "!./use-text.ts"], {
  eager: true,
});

function isDictionary(value: unknown): value is Dictionary<unknown> {
  return typeof value === "object" && value !== null && "en" in value && "zh" in value;
}

const dictionaries = Object.entries(modules).flatMap(([file, names]) =>
  Object.entries(names).flatMap(([name, value]) =>
    isDictionary(value) ? [{ en: textsOf(value.en, `${file} ${name}`), zh: textsOf(value.zh, `${file} ${name}`) }] : [],
  ),
);
const meanings = Object.keys(errorCatalogue).map((code) => [code, meaningOf(code, "zh") ?? ""] as const);
const english = dictionaries.flatMap(({ en }) => en);
const chinese = [...dictionaries.flatMap(({ zh }) => zh), ...meanings];

function found(texts: readonly (readonly [string, string])[], pattern: RegExp): readonly string[] {
  return [...new Set(texts.filter(([, text]) => pattern.test(text)).map(([path, text]) => `${path}: ${text}`))];
}

test("[89] Chinese pages use one word for each thing", () => {
  expect(chinese.length).toBeGreaterThan(900);
  const avoided = /守护进程|飞到|摘要值|哈希|脱敏|移交|交接|转交|委派|交给另|(?<!智能体|用户)档案|角色档案|克隆/u;
  expect(found(chinese, avoided)).toEqual([]);
});

test("[89] no sentence is left in the other language", () => {
  // Names of programs, settings and commands may be Latin; four plain words in a row are a sentence.
  expect(found(chinese, /^(?!galley ).*\b[a-z]{2,}(?: [a-z]{2,}){3,}\b/u)).toEqual([]);
  // The button that changes the language speaks the other one.
  expect(found(english, /^(?!.*中文$).*\p{Script=Han}/u)).toEqual([]);
});

test("[89] what every code of an error means is said in Chinese on the Chinese page, and on no other", () => {
  expect(
    meanings.filter(([, text]) => !/^[^a-z]*\p{Script=Han}.*。$/u.test(text.replaceAll(/galley\.config|Galley/g, ""))),
  ).toEqual([]);
  expect(meaningOf("NotFound", "en")).toBeUndefined();
  expect(meaningOf("TypeError", "zh")).toBeUndefined();
});

test("[89] one of a thing is not called many", () => {
  expect(english.length).toBeGreaterThan(900);
  expect(found(english, manyOfOne)).toEqual([]);
});
