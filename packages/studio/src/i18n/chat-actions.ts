import { dictionary } from "./dictionary.ts";

/** What can be done with a chat and its answers. */
export const chatActionsText = dictionary({
  en: {
    exportChat: "Export",
    exportMarkdown: "Export as Markdown",
    exportJson: "Export as JSON",
    attach: "Add pictures or files",
    attached: "Goes with the message",
    detach: (name: string) => `Remove ${name}`,
    notAttached: {
      kind: (name: string) => `${name} cannot be sent: pictures, PDFs and text files can.`,
      size: (name: string) => `${name} is too large: all files of a message may have 1.4 MB together.`,
    },
    answers: "Answers to this question",
    previousAnswer: "Previous answer",
    nextAnswer: "Next answer",
    answerOf: (at: number, count: number) => `${at}/${count}`,
  },
  zh: {
    exportChat: "导出",
    exportMarkdown: "导出为 Markdown",
    exportJson: "导出为 JSON",
    attach: "添加图片或文件",
    attached: "随消息发送",
    detach: (name: string) => `移除 ${name}`,
    notAttached: {
      kind: (name: string) => `无法发送 ${name}：可以发送图片、PDF 和文本文件。`,
      size: (name: string) => `${name} 太大：一条消息的所有文件合计不超过 1.4 MB。`,
    },
    answers: "这个问题的各个回答",
    previousAnswer: "上一个回答",
    nextAnswer: "下一个回答",
    answerOf: (at: number, count: number) => `${at}/${count}`,
  },
});
