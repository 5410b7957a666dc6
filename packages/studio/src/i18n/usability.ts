import { dictionary } from "./dictionary.ts";

/** What the daemon says of a provider in English, with its Chinese. A sentence that is not among them stays as it is. */
const chinese: readonly (readonly [RegExp, string])[] = [
  [
    /^Set (\S+), or enter the key by `(.+)` or in Studio's settings\.$/u,
    "请设置 $1，或者用 `$2` 或在 Studio 的设置中输入密钥。",
  ],
  [/^Set (apiKey|baseUrl) of (?:the provider )?(.+) in galley\.config\.$/u, "请在 galley.config 中设置 $2 的 $1。"],
  [/^The baseUrl of (.+) is not an http address\.$/u, "$1 的 baseUrl 不是 http 地址。"],
  [/^No key needed; the server at (.+) was not checked\.$/u, "无需密钥；尚未检查位于 $1 的服务器。"],
  [
    /^Its headers are in galley\.config; the server at (.+) was not checked\.$/u,
    "请求头写在 galley.config 中；尚未检查位于 $1 的服务器。",
  ],
  [/^Its key is in galley\.config\.$/u, "密钥写在 galley.config 中。"],
  [/^(\S+) is set\.$/u, "已设置 $1。"],
  [
    /^Built in: it needs no key, echoes, and calls tools by simple rules\.$/u,
    "内置：无需密钥，会复述，并按简单规则调用工具。",
  ],
  [/^It answers and has (\d+) models?\.$/u, "它有回应，共有 $1 个模型。"],
  [/^It refused the key \(HTTP (\d+)\)\.$/u, "它拒绝了密钥（HTTP $1）。"],
  [/^It answered with HTTP (\d+)\.$/u, "它的回应是 HTTP $1。"],
  [/^It answered with something that is not a list of models\.$/u, "它的回应不是模型列表。"],
  [/^It could not be reached \((\S+)\)\.$/u, "无法连接到它（$1）。"],
  [/^It could not be (?:reached|asked)\.$/u, "无法连接到它。"],
  [/^It did not answer within (\d+) ms\.$/u, "它在 $1 毫秒内没有回应。"],
];

/** Whether nobody has asked the server yet: then it is not known whether it can be used. */
const unchecked = /the server at \S+ was not checked\.$/u;

export const isUnchecked = (said: string): boolean => unchecked.test(said);

/** Beside the button that asks for the key, what the daemon says of other places is in the way. */
const noKey = /^Set (\S+), or enter the key by .+$/u;

export const lacksKey = (said: string): boolean => noKey.test(said);

function inChinese(said: string): string {
  const [pattern, words] = chinese.find(([each]) => each.test(said)) ?? [];
  return pattern && words ? said.replace(pattern, words) : said;
}

export const usabilityText = dictionary({
  en: {
    why: (said: string) => said,
    whyHere: (said: string) =>
      said.replace(noKey, "Enter its key here, or set $1.").replace(unchecked, "press Test to see whether it runs."),
  },
  zh: {
    why: inChinese,
    whyHere: (said: string) =>
      inChinese(said.replace(noKey, "在这里输入密钥，或设置环境变量 $1。")).replace(
        /尚未检查位于 \S+ 的服务器。$/u,
        "按“测试”看看它是否在运行。",
      ),
  },
});
