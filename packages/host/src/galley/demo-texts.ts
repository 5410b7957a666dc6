import type { Language } from "@galley/engine";

interface Named {
  readonly name: string;
  readonly content: string;
}

/** All that the demo says, in one language. */
export interface DemoTexts {
  readonly name: string;
  readonly description: string;
  readonly navigator: Named;
  readonly captain: string;
  readonly world: string;
  readonly tax: Named;
  readonly history: string;
  readonly note: Named;
  readonly think: Named;
  readonly others: string;
  readonly char: string;
  readonly archivedTitle: string;
  /** A question and its answer in turn. */
  readonly archived: readonly string[];
  readonly active: readonly string[];
  readonly profiles: Readonly<Record<string, string>>;
}

export const demoTexts: Readonly<Record<Language, DemoTexts>> = {
  en: {
    name: "Airship",
    description: "A demo: the navigator of an airship, with a recipe for Claude and one for all other models.",
    navigator: {
      name: "Navigator",
      content: "You are {{char}}, the navigator of the airship Heron. Answer in the language of the captain.",
    },
    captain: "About the captain",
    world: "Place for what is known",
    tax: {
      name: "Kerosene tax",
      content: "The council taxes kerosene and keeps the lighthouses burning with it.",
    },
    history: "Chat history",
    note: { name: "Note", content: "[Note: name a number whenever you can.]" },
    think: { name: "Think first", content: "Weigh wind, fuel and cargo before you answer." },
    others: "All other models",
    char: "Ada",
    archivedTitle: "Kerosene tax",
    archived: [
      "Why is the kerosene tax so high?",
      "The council pays for forty lighthouses with it: three coins for every litre.",
    ],
    active: [
      "How far do 420 litres of kerosene take us?",
      "At 35 litres an hour: twelve hours, about 600 kilometres in still air.",
      "The wind is against us now. Do we still get there?",
      "Against the wind we make 35 kilometres an hour, 420 kilometres in twelve hours. Heron Bay is a little further: we have to refuel on the way.",
    ],
    profiles: {
      writer: "You write short, plain sentences, and never more than five of them.",
      critic: "You look for what is missing or wrong, and say it in a list, the worst first.",
    },
  },
  zh: {
    name: "飞艇",
    description: "演示：一艘飞艇的领航员；一个配方用于 Claude，另一个用于其他所有模型。",
    navigator: { name: "领航员", content: "你是{{char}}，苍鹭号飞艇的领航员。用船长所用的语言回答。" },
    captain: "关于船长",
    world: "已知信息的位置",
    tax: { name: "煤油税", content: "议会征收煤油税，用来维持灯塔长明。" },
    history: "聊天历史",
    note: { name: "备注", content: "［备注：能给出数字时就给出数字。］" },
    think: { name: "先想一想", content: "回答之前，先权衡风、燃料和货物。" },
    others: "其他所有模型",
    char: "艾达",
    archivedTitle: "煤油税",
    archived: ["煤油税为什么这么高？", "议会用它维持四十座灯塔：每升三枚硬币。"],
    active: [
      "420 升煤油能飞多远？",
      "每小时消耗 35 升：可飞 12 小时，无风时约 600 公里。",
      "现在逆风，还能到吗？",
      "逆风时速降到 35 公里，12 小时约 420 公里。要到苍鹭湾还差一点，中途得加油。",
    ],
    profiles: {
      writer: "你写简短平实的句子，最多五句。",
      critic: "你寻找遗漏和错误，按严重程度列出，最严重的在前。",
    },
  },
};
