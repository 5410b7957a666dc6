import { dictionary } from "./dictionary.ts";

export const homeText = dictionary({
  en: { title: "Home" },
  zh: { title: "首页" },
});
