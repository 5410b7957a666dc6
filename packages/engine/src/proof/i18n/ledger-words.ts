import type { Place, Rule } from "../../model/ledger.ts";
import { type EntryWords, entryWords } from "./entry-words.ts";

/** Why a row was not sent, or not whole. A word for programs: `unresolved-anchor` goes with the row's place. */
export type LedgerReason =
  | Exclude<Rule, MergeRule | "continueLast">
  | "disabled"
  | "summarised"
  | "masked"
  | "shrunk"
  | "priority"
  | "other";

type MergeRule = "mergeInjected" | "squashSystem" | "mergeSystemToHead" | "mergeNeighbours" | "forceAlternation";

/** The words of which `describeLedger` makes its sentences; a word that one language lacks does not compile. */
export interface LedgerWords {
  /** Of messages that come and go with the chat. */
  readonly entry: EntryWords;
  /** Who it is: "Step system_core of recipe claude-recipe". */
  readonly step: (name: string, recipe: string | undefined) => string;
  readonly systemPrompt: string;
  readonly runtimeInit: string;
  readonly fragment: (id: string) => string;
  readonly profile: string;
  readonly hint: string;
  readonly pin: string;
  readonly message: (id: string) => string;
  /** A message of the history by how it begins. */
  readonly said: (beginning: string) => string;
  readonly earlier: (count: number) => string;
  readonly summary: string;
  readonly filler: string;
  readonly continueLast: string;
  readonly repair: string;
  readonly toolsChanged: (tokens: number) => string;
  readonly memory: string;
  /** Where the preset wants it, as a part of a sentence. */
  readonly place: (place: Place) => string;
  /** The same as a short label. */
  readonly placeLabel: (place: Place) => string;
  readonly historyLabel: string;
  readonly earlierLabel: string;
  readonly generatedLabel: string;
  /** Glues who and where. */
  readonly join: (who: string, where: string | undefined) => string;
  readonly sent: (what: string) => string;
  readonly merged: (what: string, message: number, rule: string) => string;
  readonly anchor: (what: string) => string;
  readonly notSent: (what: string, because: string) => string;
  /** What was done to a message that is sent, each after a `gap`. */
  readonly moved: (count: number) => string;
  readonly sentAsUser: string;
  readonly pinned: string;
  readonly masked: string;
  readonly shrunk: string;
  readonly gap: string;
  readonly merges: Readonly<Record<MergeRule, string>>;
  /** Why it was left out, and what brings it back; `{anchor}` stands for the anchor's id. */
  readonly reasons: Readonly<Record<LedgerReason, { readonly because: string; readonly toKeep: string }>>;
}

const en: LedgerWords = {
  entry: entryWords.en,
  step: (name, recipe) => (recipe ? `Step ${name} of recipe ${recipe}` : `Message ${name} of the preset`),
  systemPrompt: "The system prompt",
  runtimeInit: "The runtime data of the session",
  fragment: (id) => `Text of provider ${id}`,
  profile: "The user profile",
  hint: "Runtime hints",
  pin: "A pinned sentence",
  message: (id) => `Message ${id} of the history`,
  said: (beginning) => `“${beginning}”`,
  earlier: (count) => (count === 1 ? "1 earlier message" : `${count} earlier messages`),
  summary: "The summary of earlier messages",
  filler: "A filler, so that user and assistant take turns",
  continueLast: "The request to go on with the last message",
  repair: "A stand-in for a result that was never given",
  toolsChanged: (tokens) => `Other tools than in the call before, which costs up to ${tokens} cached tokens`,
  memory: "The memory that was passed",
  place(place) {
    switch (place.kind) {
      case "list":
        return "in list order";
      case "depth":
        if (place.depth === 0) return "at depth 0, right after the newest message";
        return `at depth ${place.depth}, before the last ${place.depth === 1 ? "message" : `${place.depth} messages`}`;
      case "anchor":
        return `${place.side} the anchor ${place.target}`;
    }
  },
  placeLabel(place) {
    switch (place.kind) {
      case "list":
        return "List order";
      case "depth":
        return `Depth: ${place.depth}`;
      case "anchor":
        return `Anchor: ${place.side} ${place.target}`;
    }
  },
  historyLabel: "Session history",
  earlierLabel: "Earlier history",
  generatedLabel: "Put in by the build",
  join: (who, where) => (where ? `${who}, ${where}` : who),
  sent: (what) => `Sent. ${what}.`,
  merged: (what, message, rule) => `Sent as a part of message ${message}: ${rule}. ${what}.`,
  anchor: (what) => `A place for others. It has no text of its own to send. ${what}.`,
  notSent: (what, because) => `Not sent: ${because}. ${what}.`,
  moved: (count) => `moved ${count} up, to keep a call with its result`,
  sentAsUser: "sent as user",
  pinned: "pinned: it stays until it is unpinned",
  masked: "its result is left out, to save room",
  shrunk: "its middle is left out, to save room",
  gap: "; ",
  merges: {
    mergeInjected: "texts of one place and one role are one message",
    squashSystem: "neighbouring system messages are one message",
    mergeSystemToHead: "all system messages are one at the head",
    mergeNeighbours: "neighbours of one role are one message",
    forceAlternation: "user and assistant take turns",
  },
  reasons: {
    ...entryWords.en.reasons,
    disabled: { because: "it is switched off in the preset", toKeep: "switch it on in the preset." },
    summarised: {
      because: "a summary was sent instead",
      toKeep: "raise the budget; what was summarised stays in the log.",
    },
    masked: { because: "there was not enough room for old tool results", toKeep: "raise the budget." },
    shrunk: {
      because: "it is too large for the budget by itself",
      toKeep: "raise the budget, or send a shorter text.",
    },
    limit: {
      because: "it did not fit the budget",
      toKeep: "raise the budget or the number of history messages, or choose a model with a larger window.",
    },
    priority: {
      because: "it did not fit the budget, and its priority was the lowest",
      toKeep: "raise the budget or give it a higher priority; without a priority it always stays.",
    },
    duplicate: {
      because: "the same entry stands in the session twice",
      toKeep: "nothing has to be done: the first one counts.",
    },
    empty: {
      because: "its text is empty",
      toKeep: "write a text, or give its placeholder a value (userProfile for a profile).",
    },
    orphan: {
      because: "it answers a tool call that is not there",
      toKeep: "add the call that it answers; providers refuse a result without one.",
    },
    redacted: { because: "it was redacted", toKeep: "write it again; what is redacted does not come back." },
    "tool-steps": {
      because: "this chat keeps questions and replies, not the calls of tools between them",
      toKeep: "set toolSteps to keep.",
    },
    "tools-changed": {
      because: "tools stand in front of everything else, and a provider reads all that follows them again",
      toKeep: "change tools when a new context begins.",
    },
    "memory-ignored": {
      because: "it was made for another list of messages, or by another version",
      toKeep: "pass back the memory of the last call on the same list.",
    },
    "unresolved-anchor": {
      because: "its anchor {anchor} is switched off or not part of this recipe",
      toKeep: "switch {anchor} on, add it to this recipe, or choose another anchor.",
    },
    "no-place": {
      because: "nothing in the preset has a place for it",
      toKeep: "add a message of the type user_profile to the preset.",
    },
    omitHistory: { because: "the preset sends no history", toKeep: "switch omitHistory off in the preset." },
    other: { because: "the build left it out", toKeep: "look at the preset and the budget." },
  },
};

const zh: LedgerWords = {
  entry: entryWords.zh,
  step: (name, recipe) => (recipe ? `配方 ${recipe} 的步骤 ${name}` : `预设中的消息 ${name}`),
  systemPrompt: "系统提示词",
  runtimeInit: "会话的运行时数据",
  fragment: (id) => `提供者 ${id} 的文本`,
  profile: "用户档案",
  hint: "运行时提示",
  pin: "一条固定的文字",
  message: (id) => `历史消息 ${id}`,
  said: (beginning) => `“${beginning}”`,
  earlier: (count) => `更早的 ${count} 条消息`,
  summary: "更早消息的摘要",
  filler: "填充消息，让用户与助手交替发言",
  continueLast: "请求接着上一条消息继续",
  repair: "代替一个从未给出的结果",
  toolsChanged: (tokens) => `工具与上一次调用不同，最多损失 ${tokens} 个已缓存的 token`,
  memory: "传入的记忆",
  place(place) {
    switch (place.kind) {
      case "list":
        return "按列表顺序";
      case "depth":
        return place.depth === 0 ? "深度 0，紧跟最新消息" : `深度 ${place.depth}，在最后 ${place.depth} 条消息之前`;
      case "anchor":
        return `在锚点 ${place.target} ${place.side === "before" ? "之前" : "之后"}`;
    }
  },
  placeLabel(place) {
    switch (place.kind) {
      case "list":
        return "列表顺序";
      case "depth":
        return `深度：${place.depth}`;
      case "anchor":
        return `锚点：${place.target} ${place.side === "before" ? "之前" : "之后"}`;
    }
  },
  historyLabel: "会话历史",
  earlierLabel: "更早的历史",
  generatedLabel: "由构建加入",
  join: (who, where) => (where ? `${who}，${where}` : who),
  sent: (what) => `已发送。${what}。`,
  merged: (what, message, rule) => `已作为第 ${message} 条消息的一部分发送：${rule}。${what}。`,
  anchor: (what) => `供其他消息定位的位置，本身没有要发送的文本。${what}。`,
  notSent: (what, because) => `未发送：${because}。${what}。`,
  moved: (count) => `前移 ${count} 条，以免把工具调用与其结果分开`,
  sentAsUser: "作为用户消息发送",
  pinned: "已固定：取消固定之前一直保留",
  masked: "为节省空间，省略了其结果",
  shrunk: "为节省空间，省略了中间部分",
  gap: "；",
  merges: {
    mergeInjected: "同一位置、同一角色的文本合为一条消息",
    squashSystem: "相邻的系统消息合为一条",
    mergeSystemToHead: "所有系统消息在开头合为一条",
    mergeNeighbours: "相邻的同角色消息合为一条",
    forceAlternation: "用户与助手交替发言",
  },
  reasons: {
    ...entryWords.zh.reasons,
    disabled: { because: "它在预设中已关闭", toKeep: "在预设中打开它。" },
    summarised: { because: "已由摘要代替", toKeep: "提高预算；被摘要的内容仍保留在日志中。" },
    masked: { because: "没有足够空间容纳旧的工具结果", toKeep: "提高预算。" },
    shrunk: { because: "它本身就超出预算", toKeep: "提高预算，或发送更短的文本。" },
    limit: { because: "超出预算", toKeep: "提高预算或历史消息数，或选择窗口更大的模型。" },
    priority: {
      because: "超出预算，且它的优先级最低",
      toKeep: "提高预算，或给它更高的优先级；没有优先级的内容始终保留。",
    },
    duplicate: { because: "同一条目在会话中出现了两次", toKeep: "无需处理：以第一条为准。" },
    empty: { because: "文本为空", toKeep: "写入文本，或给其中的占位符赋值（用户资料则设置 userProfile）。" },
    orphan: { because: "它回应的工具调用不存在", toKeep: "补上它所回应的调用；提供商不接受没有调用的结果。" },
    redacted: { because: "它已被删改", toKeep: "重新写一条；被删改的内容不会恢复。" },
    "tool-steps": {
      because: "此聊天只保留问题与回复，不保留其间的工具调用",
      toKeep: "将 toolSteps 设为 keep。",
    },
    "tools-changed": {
      because: "工具位于最前面，其后的一切提供商都要重新读取",
      toKeep: "在新上下文开始时再更换工具。",
    },
    "memory-ignored": {
      because: "它属于另一个消息列表，或由另一个版本生成",
      toKeep: "传回对同一列表上一次调用所得的记忆。",
    },
    "unresolved-anchor": {
      because: "它的锚点 {anchor} 已关闭或不在此配方中",
      toKeep: "打开 {anchor}、把它加入此配方，或选择其他锚点。",
    },
    "no-place": { because: "预设中没有它的位置", toKeep: "在预设中添加一条 user_profile 类型的消息。" },
    omitHistory: { because: "预设不发送历史", toKeep: "在预设中关闭 omitHistory。" },
    other: { because: "构建将其略去", toKeep: "请检查预设与预算。" },
  },
};

export const ledgerWords = { en, zh };
