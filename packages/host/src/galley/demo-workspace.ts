import type { Preset } from "@galley/engine";
import { openHandover } from "../handover/options/handover-options.ts";
import { saveProfile } from "../handover/plan/save-profile.ts";
import type { Galley } from "./galley.ts";

/** Two recipes over one library: what changes with the model, what flies by depth, what stands beside an anchor. */
const airship: Preset = {
  version: 1,
  name: "Airship",
  description: "A demo: the navigator of an airship, with a recipe for Claude and one for all other models.",
  messageTemplates: [
    {
      id: "navigator",
      role: "system",
      content: "You are {{char}}, the navigator of the airship Heron. Answer in the language of the captain.",
    },
    { id: "captain", role: "placeholder", type: "user_profile" },
    { id: "world", role: "placeholder", type: "placeholder" },
    {
      id: "kerosene_tax",
      role: "system",
      content: "The council taxes kerosene and keeps the lighthouses burning with it. 煤油税由议会征收。",
      defaultInjectionStrategy: { anchorTarget: "world", anchorPosition: "after" },
      priority: 10,
    },
    { id: "chat_history", role: "placeholder", type: "chat_history" },
    {
      id: "note",
      role: "system",
      content: "[Note: name a number whenever you can.]",
      defaultInjectionStrategy: { depth: 2 },
    },
    { id: "think_first", role: "system", content: "Weigh wind, fuel and cargo before you answer." },
  ],
  contextRecipes: [
    {
      id: "claude",
      name: "Claude",
      modelFilter: ["claude-*"],
      steps: [
        ...steps("navigator", "captain", "world", "kerosene_tax", "chat_history", "note"),
        { messageId: "think_first", enabled: true, injectionStrategy: { depth: 0 } },
      ],
    },
    {
      id: "others",
      name: "All other models",
      modelFilter: ["*"],
      steps: [
        ...steps("navigator", "captain", "world", "kerosene_tax"),
        { messageId: "think_first", enabled: false },
        ...steps("chat_history", "note"),
      ],
    },
  ],
  variables: { char: "Ada" },
};

function steps(...ids: readonly string[]): { readonly messageId: string; readonly enabled: true }[] {
  return ids.map((messageId) => ({ messageId, enabled: true }));
}

const profiles = {
  writer: "You write short, plain sentences, and never more than five of them.",
  critic: "You look for what is missing or wrong, and say it in a list, the worst first.",
};

const archived = [
  { role: "user", content: "Why is the kerosene tax so high?" },
  { role: "assistant", content: "The council pays for forty lighthouses with it: three coins for every litre." },
] as const;

const active = [
  { role: "user", content: "How far do 420 litres of kerosene take us?" },
  { role: "assistant", content: "At 35 litres an hour: twelve hours, about 600 kilometres in still air." },
  { role: "user", content: "现在逆风，还能到吗？" },
  { role: "assistant", content: "逆风时速降到 35 公里，12 小时约 420 公里。要到苍鹭湾还差一点，中途得加油。" },
] as const;

/** Fills an empty data folder with something to look at: a preset, a chat with two topics, two profiles. */
export async function makeDemoWorkspace(galley: Galley): Promise<void> {
  await galley.presets.save("airship", { preset: airship, expectedVersion: 0, label: "demo" });
  const chat = await galley.chats.open("demo");
  await chat.append([...archived]);
  await chat.newContext({ title: "Kerosene tax" });
  await chat.append([...active]);
  await galley.chats.configure("demo", { preset: "airship" });
  const { project: projectId, store } = galley;
  const handover = openHandover({ store });
  for (const [name, text] of Object.entries(profiles)) await saveProfile(handover, { projectId, name, text });
}
