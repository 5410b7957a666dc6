import { dictionary } from "./dictionary.ts";

export const paletteText = dictionary({
  en: {
    title: "Search and commands",
    search: "Go to a page, preset, template, chat, message or session, or do something",
    none: "Nothing matches.",
    page: "Page",
    action: "Action",
    preset: "Preset",
    chat: "Chat",
    session: "Session",
    messageIn: (chat: string) => `Message in ${chat}`,
    template: "Template",
  },
  zh: {
    title: "搜索与命令",
    search: "前往页面、预设、模板、聊天、消息或会话，或执行操作",
    none: "没有匹配项。",
    page: "页面",
    action: "操作",
    preset: "预设",
    chat: "聊天",
    session: "会话",
    messageIn: (chat: string) => `“${chat}”中的消息`,
    template: "模板",
  },
});
