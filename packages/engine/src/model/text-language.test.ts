import { expect, test } from "vitest";
import { labelLanguage, textLanguage } from "./text-language.ts";

test.each([
  ["Where were we?", "en"],
  ["我们说到哪儿了？", "zh"],
  ["What does 你好 mean in English?", "en"],
  ["用 TypeScript 写一个函数", "zh"],
  ["这段代码有什么问题？\n```ts\nconst answer = await fetch(url).then((reply) => reply.json());\n```", "zh"],
  ["このコードを説明してください", "en"],
  ["Что это значит?", "en"],
  ["42 + 1?", undefined],
  ["", undefined],
])("[W4] %j is labelled in %s", (text, expected) => {
  expect(textLanguage([text])).toBe(expected);
  expect(labelLanguage([text])).toBe(expected ?? "en");
});
