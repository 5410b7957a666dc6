import { dictionary } from "./dictionary.ts";

export const importText = dictionary({
  en: { title: "Import and export" },
  zh: { title: "导入与导出" },
});
