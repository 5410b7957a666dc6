import type { MessageRole } from "@galley/engine/messages";
import type { TokenSource } from "@galley/engine/proof";
import { counted, dictionary } from "./dictionary.ts";

export interface MessageText {
  readonly sources: Readonly<Record<TokenSource, string>>;
  readonly cutTarget: (share: string) => string;
  readonly roles: Readonly<Record<MessageRole, string>>;
  /** What a thing of a preset is called that has neither a name nor a text. */
  readonly kinds: Readonly<Record<"message" | "chat_history" | "user_profile" | "placeholder", string>>;
  readonly tokens: (count: string) => string;
  readonly exact: (tokenizer: string) => string;
  readonly counted: (tokenizer: string) => string;
  readonly estimated: (tokenizer: string) => string;
  readonly calibrated: (tokenizer: string) => string;
  readonly reasoning: string;
  readonly calls: (name: string) => string;
  readonly result: (name: string) => string;
  readonly failed: (name: string) => string;
  readonly picture: string;
  readonly file: string;
  readonly showLess: (message: number) => string;
  readonly showJson: string;
  readonly showText: string;
  readonly copy: string;
  readonly copied: string;
  readonly copyFailed: string;
  readonly copyJson: string;
  readonly copyCode: string;
  readonly copyId: (id: string) => string;
  readonly searchJson: string;
  readonly jsonFound: (count: string) => string;
  readonly unknownSource: string;
  readonly prefixEnds: string;
  readonly messages: string;
  readonly empty: string;
  readonly moreSources: (count: number) => string;
}

/** The texts of messages wherever they are shown. */
export const messageTexts = dictionary<MessageText>({
  en: {
    sources: {
      template: "System and templates",
      anchor: "Anchor injections",
      depth: "Depth injections",
      profile: "User profile",
      summary: "Summary",
      history: "History",
      tools: "Tools",
      other: "Other",
    },
    cutTarget: (share) => `A cut goes down to here: ${share} of the budget.`,
    roles: { system: "system", user: "user", assistant: "assistant", tool: "tool" },
    kinds: {
      message: "Message",
      chat_history: "Conversation",
      user_profile: "User profile",
      placeholder: "Placeholder (anchor)",
    },
    tokens: (count) => counted(count, "token"),
    exact: (tokenizer) => `exact, ${tokenizer}`,
    counted: (tokenizer) => `counted with ${tokenizer}`,
    estimated: (tokenizer) => `estimated, ${tokenizer}`,
    calibrated: (tokenizer) => `calibrated, ${tokenizer}`,
    reasoning: "Reasoning",
    calls: (name) => `Calls ${name}`,
    result: (name) => `Result of ${name}`,
    failed: (name) => `${name} failed`,
    picture: "Picture",
    file: "File",
    showLess: (message) => `Fold message ${message}`,
    showJson: "Raw",
    showText: "Text",
    copy: "Copy",
    copied: "Copied.",
    copyFailed: "The browser did not allow copying. Select the text and copy it by hand.",
    copyJson: "Copy raw",
    searchJson: "Search keys and values",
    jsonFound: (count) => counted(count, "value"),
    copyId: (id) => `Copy the id: ${id}`,
    copyCode: "Copy code",
    unknownSource: "Source not recorded",
    prefixEnds: "the stable prefix ends here",
    messages: "Messages",
    empty: "This message has no text.",
    moreSources: (count) => `+ ${count} more`,
  },
  zh: {
    sources: {
      template: "系统与模板",
      anchor: "锚点注入",
      depth: "深度注入",
      profile: "用户档案",
      summary: "摘要",
      history: "历史",
      tools: "工具",
      other: "其他",
    },
    cutTarget: (share) => `裁剪到这里为止：预算的 ${share}。`,
    roles: { system: "系统", user: "用户", assistant: "助手", tool: "工具" },
    kinds: { message: "消息", chat_history: "对话", user_profile: "用户档案", placeholder: "占位符（锚点）" },
    tokens: (count) => `${count} 个 token`,
    exact: (tokenizer) => `精确，${tokenizer}`,
    counted: (tokenizer) => `按 ${tokenizer} 计`,
    estimated: (tokenizer) => `估算，${tokenizer}`,
    calibrated: (tokenizer) => `已校准，${tokenizer}`,
    reasoning: "推理",
    calls: (name) => `调用 ${name}`,
    result: (name) => `${name} 的结果`,
    failed: (name) => `${name} 失败`,
    picture: "图片",
    file: "文件",
    showLess: (message) => `折叠第 ${message} 条消息`,
    showJson: "原始数据",
    showText: "文本",
    copy: "复制",
    copied: "已复制。",
    copyFailed: "浏览器不允许复制。请选中文本后手动复制。",
    copyJson: "复制原始数据",
    searchJson: "搜索键和值",
    jsonFound: (count) => `${count} 个值`,
    copyId: (id) => `复制标识：${id}`,
    copyCode: "复制代码",
    unknownSource: "未记录来源",
    prefixEnds: "稳定前缀到此为止",
    messages: "消息",
    empty: "此消息没有文本。",
    moreSources: (count) => `及另外 ${count} 项`,
  },
});

export const notSentText = dictionary({
  en: {
    title: "Not sent",
    nothing: "Everything that was considered was sent.",
    because: (reason: string) => `Not sent, because ${reason}.`,
    toKeep: (advice: string) => `To keep it: ${advice}`,
  },
  zh: {
    title: "未发送",
    nothing: "考虑过的内容全部已发送。",
    because: (reason: string) => `未发送，因为${reason}。`,
    toKeep: (advice: string) => `要保留它：${advice}`,
  },
});
