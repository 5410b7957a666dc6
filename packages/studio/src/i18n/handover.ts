import { dictionary } from "./dictionary.ts";

export const handoverText = dictionary({
  en: { title: "Handover" },
  zh: { title: "交接" },
});
