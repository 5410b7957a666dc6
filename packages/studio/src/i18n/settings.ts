import { dictionary } from "./dictionary.ts";

export const settingsText = dictionary({
  en: { title: "Settings" },
  zh: { title: "设置" },
});
