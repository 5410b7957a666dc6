import { dictionary } from "./dictionary.ts";

/** What is pinned in a chat. */
export const pinsText = dictionary({
  en: {
    pin: "Pin",
    unpin: "Unpin",
    pinned: "Pinned: sent with every call",
    pinDone: "Pinned: sent with every call until you unpin it.",
    unpinDone: "Unpinned.",
    pins: (count: string) => `Pinned (${count})`,
    ofMessage: "A message",
    ofSentence: "A sentence of your own",
    pinnedByModel: "pinned by the model",
    pinText: "Pin a sentence of your own",
    pinHint: "The model reads it in every turn of this context.",
  },
  zh: {
    pin: "固定",
    unpin: "取消固定",
    pinned: "已固定：每次调用都会发送",
    pinDone: "已固定：取消固定之前，每次调用都会发送。",
    unpinDone: "已取消固定。",
    pins: (count: string) => `已固定（${count}）`,
    ofMessage: "消息",
    ofSentence: "自己的话",
    pinnedByModel: "由模型固定",
    pinText: "固定一句自己的话",
    pinHint: "在此上下文中，模型每一轮都会读到它。",
  },
});
