import { dictionary } from "./dictionary.ts";

export const composeText = dictionary({
  en: { title: "Compose" },
  zh: { title: "编排" },
});
