import { dictionary } from "./dictionary.ts";

export const inspectText = dictionary({
  en: { title: "Inspect" },
  zh: { title: "检视" },
});
