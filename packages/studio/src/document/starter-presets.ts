import type { Preset } from "@galley/engine";

/** The shortest preset that is of use: who the model is, then the conversation. */
export const simpleStarter: Preset = {
  version: 1,
  presetMessages: [
    { id: "system_core", role: "system", content: "You are a careful assistant. Answer in the language of the user." },
    { id: "chat_history", type: "chat_history", role: "user" },
  ],
};

const on = (...ids: readonly string[]) => ids.map((messageId) => ({ messageId, enabled: true }));

/** One of everything: a placeholder, an anchor, a depth, a recipe for each family of models. */
export const exampleStarter: Preset = {
  version: 1,
  name: "Travel desk",
  description: "Shows what presets can do: a recipe for each family of models, an anchor, notes close to the end.",
  messageTemplates: [
    {
      id: "system_core",
      role: "system",
      content:
        "You are {{char}}, who plans journeys by train. Answer in the language of the user and name your sources.",
    },
    { id: "user_profile", type: "user_profile", role: "system" },
    { id: "world_info_anchor", name: "World info", type: "placeholder", role: "system" },
    {
      id: "world_info",
      role: "system",
      content: "时刻：夜车 NJ 466 每天 21:27 发车，次日 7:00 到达维也纳；双人包厢两人同价。",
      defaultInjectionStrategy: { anchorTarget: "world_info_anchor", anchorPosition: "after" },
    },
    { id: "chat_history", type: "chat_history", role: "user" },
    {
      id: "author_note",
      role: "system",
      content: "[Note: the travellers are two, they like trains, and they go to bed early.]",
      priority: 1,
      defaultInjectionStrategy: { depth: 2 },
    },
    { id: "claude_cot", role: "system", content: "<thinking>Think about connections before you answer.</thinking>" },
    { id: "gpt_cot", role: "system", content: "Think step by step: time first, then price, then comfort." },
  ],
  contextRecipes: [
    {
      id: "claude-recipe",
      modelFilter: ["claude-*"],
      steps: [
        ...on("system_core", "world_info_anchor", "chat_history"),
        { messageId: "claude_cot", enabled: true, injectionStrategy: { depth: 0 } },
        ...on("world_info"),
        { messageId: "author_note", enabled: false },
      ],
    },
    {
      id: "gpt-recipe",
      modelFilter: ["gpt-*"],
      steps: [
        ...on("system_core", "world_info_anchor", "chat_history"),
        { messageId: "gpt_cot", enabled: true, injectionStrategy: { depth: 0 } },
        ...on("world_info"),
      ],
    },
    {
      id: "default-recipe",
      modelFilter: ["*"],
      steps: on("system_core", "world_info_anchor", "chat_history", "world_info", "author_note"),
    },
  ],
  variables: { char: "Ada" },
};
