import { dictionary } from "./dictionary.ts";

export const compareText = dictionary({
  en: { title: "Compare" },
  zh: { title: "对比" },
});
