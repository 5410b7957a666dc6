import { dictionary } from "./dictionary.ts";

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
