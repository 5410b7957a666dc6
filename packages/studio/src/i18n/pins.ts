import { dictionary } from "./dictionary.ts";

/** What is pinned in a chat. */
export const pinsText = dictionary({
  en: {
    pin: "Pin",
    unpin: "Unpin",
    pinned: "Pinned: it stays in every build",
    pinDone: "Pinned: it stays in every build until you unpin it.",
    unpinDone: "Unpinned.",
    notPinned: "It could not be pinned.",
    pins: (count: string) => `Pinned (${count})`,
    pinnedByModel: "by the model",
    pinText: "Pin a sentence of your own",
    pinHint: "The model reads it in every turn of this context.",
  },
  zh: {
    pin: "固定",
    unpin: "取消固定",
    pinned: "已固定：每次构建都会保留",
    pinDone: "已固定：取消之前每次构建都会保留。",
    unpinDone: "已取消固定。",
    notPinned: "无法固定。",
    pins: (count: string) => `已固定（${count}）`,
    pinnedByModel: "由模型固定",
    pinText: "固定一句自己的话",
    pinHint: "模型在此上下文的每一轮都会读到它。",
  },
});
