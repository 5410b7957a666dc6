import type { ActiveReason, EntryRule, KeyFound } from "../../model/ledger.ts";

/** Why an entry of a lorebook is not there; one that is sent to an outlet stands there. */
type Reasons = Readonly<Record<EntryRule | "outlet", { readonly because: string; readonly toKeep: string }>>;

/** What is said of messages that come and go with the chat. */
export interface EntryWords {
  readonly entries: (book: string, count: number) => string;
  readonly entriesLabel: string;
  readonly until: (messages: number) => string;
  readonly came: (why: ActiveReason) => string;
  readonly reasons: Reasons;
}

const en: EntryWords = {
  entries: (book, count) => `${count === 1 ? "1 entry" : `${count} entries`} of the book ${book}`,
  entriesLabel: "Lorebook",
  until: (messages) => `until the chat has ${messages} messages`,
  came(why) {
    switch (why.by) {
      case "constant":
        return "it is always there";
      case "sticky":
        return "it stays for some messages once it has come";
      case "decorator":
        return "its decorator asks for it";
      case "condition":
        return "its condition is met";
      case "given":
        return "it was named";
      case "key":
        return `key ${JSON.stringify(why.key ?? "")} ${where(why.found)}${why.round > 1 ? `, round ${why.round}` : ""}`;
    }
  },
  reasons: {
    outlet: { because: "it is the value of an outlet", toKeep: "use {{outlet::name}} in a message of the preset." },
    "no-key": { because: "none of the keys was found", toKeep: "say one of its keys, or make it constant." },
    secondary: { because: "a key was found, but the secondary keys do not fit", toKeep: "look at the secondary keys." },
    reply: { because: "it is meant for other kinds of reply", toKeep: "add this kind to its replies." },
    character: { because: "it is meant for other characters", toKeep: "change the characters that it is for." },
    condition: { because: "its condition is not met", toKeep: "look at `when`." },
    delay: { because: "the chat is too short for it", toKeep: "wait, or lower its delay." },
    cooldown: { because: "it stays away for some messages after it was there", toKeep: "wait, or lower its cooldown." },
    chance: { because: "it was not drawn this time", toKeep: "raise its probability." },
    group: {
      because: "another entry of its group was chosen",
      toKeep: "give it a higher weight, or take it out of the group.",
    },
    recursion: {
      because: "it waits for the texts of other entries, or does not listen to them",
      toKeep: "look at its rules for recursion.",
    },
    budget: {
      because: "the entries before it have used up what entries may cost",
      toKeep: "raise the budget of the entries.",
    },
    decorator: { because: "its decorator forbids it", toKeep: "remove @@dont_activate from its content." },
    "not-given": { because: "it is not among the entries that were named", toKeep: "name it, or let the chat decide." },
  },
};

function where(found: KeyFound | undefined): string {
  switch (found?.in) {
    case "message":
      return `in message ${found.id}`;
    case "source":
      return `in {{${found.name}}}`;
    case "entry":
      return `in the entry ${found.id}`;
    case "anything":
    case undefined:
      return "in what is read";
  }
}

const zh: EntryWords = {
  entries: (book, count) => `世界书 ${book} 的 ${count} 个条目`,
  entriesLabel: "世界书",
  until: (messages) => `直到聊天达到 ${messages} 条消息`,
  came(why) {
    switch (why.by) {
      case "constant":
        return "它始终启用";
      case "sticky":
        return "触发后会保留若干条消息";
      case "decorator":
        return "它的装饰器要求启用";
      case "condition":
        return "条件已满足";
      case "given":
        return "已被指定";
      case "key":
        return `${whereZh(why.found)}出现关键词 ${JSON.stringify(why.key ?? "")}${why.round > 1 ? `，第 ${why.round} 轮` : ""}`;
    }
  },
  reasons: {
    outlet: { because: "它是某个 outlet 的值", toKeep: "在预设消息中使用 {{outlet::name}}。" },
    "no-key": { because: "没有找到任何关键词", toKeep: "说出它的某个关键词，或将其设为常驻。" },
    secondary: { because: "找到了关键词，但次要关键词不符", toKeep: "检查次要关键词。" },
    reply: { because: "它用于其他类型的回复", toKeep: "把这种类型加入它的 replies。" },
    character: { because: "它用于其他角色", toKeep: "修改它适用的角色。" },
    condition: { because: "条件未满足", toKeep: "检查 `when`。" },
    delay: { because: "聊天还不够长", toKeep: "稍后再试，或减小 delay。" },
    cooldown: { because: "触发之后的若干条消息内不再出现", toKeep: "稍后再试，或减小 cooldown。" },
    chance: { because: "这次没有抽中", toKeep: "提高它的概率。" },
    group: { because: "同组的另一个条目被选中", toKeep: "提高权重，或把它移出该组。" },
    recursion: { because: "它等待其他条目的文本，或不受其影响", toKeep: "检查它的递归规则。" },
    budget: { because: "前面的条目已用完条目的预算", toKeep: "提高条目的预算。" },
    decorator: { because: "它的装饰器禁止启用", toKeep: "从内容中删除 @@dont_activate。" },
    "not-given": { because: "它不在指定的条目之中", toKeep: "指定它，或由聊天决定。" },
  },
};

function whereZh(found: KeyFound | undefined): string {
  switch (found?.in) {
    case "message":
      return `消息 ${found.id} 中`;
    case "source":
      return `{{${found.name}}} 中`;
    case "entry":
      return `条目 ${found.id} 中`;
    case "anything":
    case undefined:
      return "所读文本中";
  }
}

export const entryWords = { en, zh };
