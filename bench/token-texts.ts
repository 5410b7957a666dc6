import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type TextKind = "English" | "Chinese" | "TypeScript" | "JSON";
export const textKinds: readonly TextKind[] = ["English", "Chinese", "TypeScript", "JSON"];

/** How many characters are counted in a round. */
const roundSize = 60_000;

// Words that stand beside each other in an order that no round has had before: a library that remembers pieces meets the
// same words again, as it would in any text, but never the same text.
const chinese =
  "我们 他们 这个 那个 一个 没有 可以 因为 所以 但是 如果 已经 现在 时候 知道 觉得 问题 时间 工作 生活 世界 中国 城市 图书馆 门口 老树 白色 花 开 了 的 在 是 有 和 也 都 就 不 很 着 过 从 对 把 被 让 给 向 春天 早晨 读者 书架 管理员 钥匙 窗户 走廊 声音 慢慢地 忽然 终于 其实 可能 应该 必须 开始 继续 结束 发现 记得 忘记 等待 寻找 回来 离开 打开 关上 写下 告诉 询问 回答 模型 上下文 令牌 会话 消息 工具 系统 提示词 压缩 摘要 预算 窗口 缓存 前缀".split(
    " ",
  );

export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function chineseText(seed: number): string {
  const next = numbers(seed);
  const pick = (items: readonly string[]): string => items[Math.floor(next() * items.length)] as string;
  let text = "";
  while (text.length < roundSize) {
    const count = 2 + Math.floor(next() * 7);
    text += Array.from({ length: count }, () => pick(chinese)).join("") + pick(["，", "。", "！", "？\n", "、"]);
  }
  return text;
}

const root = fileURLToPath(new URL("..", import.meta.url));
// Some libraries refuse texts that name special tokens.
const read = (file: string): string => readFileSync(file, "utf8").replaceAll("<|", "<");

/** Our own sources. */
const code = readdirSync(`${root}packages`, { recursive: true, encoding: "utf8" })
  .filter((name) => /src.*\.tsx?$/.test(name) && !name.includes("node_modules"))
  .sort()
  .flatMap((name) => read(`${root}packages/${name}`).split("\n"));

/** What others have written about the packages that are installed here, without its code. */
const prose = readdirSync(`${root}node_modules`)
  .sort()
  .map((name) => `${root}node_modules/${name}/README.md`)
  .filter((file) => existsSync(file))
  .flatMap((file) => read(file).split("\n"))
  .filter((line) => /^[A-Z][\x20-\x7e]{60,}$/.test(line));

/** Real lines, other ones in every round. */
function pieces(lines: readonly string[], length: number, seed: number): string {
  const next = numbers(seed);
  let text = "";
  while (text.length < roundSize) {
    const from = Math.floor(next() * lines.length);
    text += `${lines.slice(from, from + length).join("\n")}\n// ${Math.floor(next() * 1e6)}\n`;
  }
  return text;
}

/** How those packages describe themselves. */
const json = readdirSync(`${root}node_modules`)
  .sort()
  .map((name) => `${root}node_modules/${name}/package.json`)
  .filter((file) => existsSync(file))
  .flatMap((file) => read(file).split("\n"));

/** A text that no round before has had. */
export function freshText(kind: TextKind, round: number): string {
  const seed = round * 7919 + 13;
  switch (kind) {
    case "English":
      return pieces(prose, 3, seed);
    case "Chinese":
      return chineseText(seed);
    case "TypeScript":
      return pieces(code, 20, seed);
    case "JSON":
      return pieces(json, 20, seed);
  }
}
