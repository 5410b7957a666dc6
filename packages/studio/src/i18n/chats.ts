import { dictionary } from "./dictionary.ts";

export const chatsText = dictionary({
  en: { title: "Chats" },
  zh: { title: "聊天" },
});
