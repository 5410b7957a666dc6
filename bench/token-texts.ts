import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export type TextKind = "English" | "Chinese" | "TypeScript" | "JSON";
export const textKinds: readonly TextKind[] = ["English", "Chinese", "TypeScript", "JSON"];

/** So many characters are counted in a round. */
export const roundSize = 60_000;

// Made of words that really stand beside each other's kind, in an order that no round has had before: a library that
// remembers pieces meets the same words again, as it would in any text, but never the same text.
const english =
  "the of and to in is that for it was on with as his be at by which from this but not have had are they their one all were when there been more if would who what about time could other into than first people some only made through after two over where even most should because between another while before found against right without under place never again where world still every himself library reader garden window morning letter question answer remember decided government important different something nothing everything although knowledge children university experience development understand particular".split(
    " ",
  );
const chinese =
  "我们 他们 这个 那个 一个 没有 可以 因为 所以 但是 如果 已经 现在 时候 知道 觉得 问题 时间 工作 生活 世界 中国 城市 图书馆 门口 老树 白色 花 开 了 的 在 是 有 和 也 都 就 不 很 着 过 从 对 把 被 让 给 向 春天 早晨 读者 书架 管理员 钥匙 窗户 走廊 声音 慢慢地 忽然 终于 其实 可能 应该 必须 开始 继续 结束 发现 记得 忘记 等待 寻找 回来 离开 打开 关上 写下 告诉 询问 回答 模型 上下文 令牌 会话 消息 工具 系统 提示词 压缩 摘要 预算 窗口 缓存 前缀".split(
    " ",
  );

function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function sentences(words: readonly string[], gap: string, stops: readonly string[], seed: number): string {
  const next = numbers(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
  let text = "";
  while (text.length < roundSize) {
    const count = 4 + Math.floor(next() * 12);
    text += Array.from({ length: count }, () => pick(words)).join(gap) + pick(stops);
  }
  return text;
}

const source = readSource();

/** Our own sources: real code, a different part of it in every round. */
function readSource(): string {
  const root = fileURLToPath(new URL("../packages", import.meta.url));
  return (
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((name) => /src.*\.tsx?$/.test(name) && !name.includes("node_modules"))
      .sort()
      .map((name) => readFileSync(`${root}/${name}`, "utf8"))
      .join("\n")
      // Some libraries refuse texts that name special tokens.
      .replaceAll("<|", "<")
  );
}

function typeScript(seed: number): string {
  const lines = source.split("\n");
  const next = numbers(seed);
  let text = "";
  while (text.length < roundSize) {
    const from = Math.floor(next() * lines.length);
    text += `${lines.slice(from, from + 20).join("\n")}\n// ${Math.floor(next() * 1e6)}\n`;
  }
  return text;
}

function json(seed: number): string {
  const next = numbers(seed);
  const word = (): string => english[Math.floor(next() * english.length)] as string;
  const rows: unknown[] = [];
  for (let size = 0; size < roundSize;) {
    const row = {
      id: `${word()}_${Math.floor(next() * 1e9).toString(16)}`,
      total: Math.round(next() * 1e6) / 100,
      isOpen: next() > 0.5,
      note: `${word()} ${word()} ${word()}`,
      tags: [word(), word()],
      at: { row: Math.floor(next() * 1000), path: `src/${word()}/${word()}.ts` },
    };
    rows.push(row);
    size += JSON.stringify(row).length;
  }
  return JSON.stringify(rows);
}

/** A text that no round before has had. */
export function freshText(kind: TextKind, round: number): string {
  const seed = round * 7919 + 13;
  switch (kind) {
    case "English":
      return sentences(english, " ", [". ", ", ", "; ", "?\n"], seed);
    case "Chinese":
      return sentences(chinese, "", ["，", "。", "！", "？\n", "、"], seed);
    case "TypeScript":
      return typeScript(seed);
    case "JSON":
      return json(seed);
  }
}
