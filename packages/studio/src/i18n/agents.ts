import { dictionary } from "./dictionary.ts";

export const agentsText = dictionary({
  en: { title: "Agents" },
  zh: { title: "智能体" },
});
