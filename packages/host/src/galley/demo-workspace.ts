import { type Language, type Preset, GalleyError } from "@galley/engine";
import { openHandover } from "../handover/options/handover-options.ts";
import { saveProfile } from "../handover/pack/profiles.ts";
import { type DemoTexts, demoTexts } from "./demo-texts.ts";
import type { Galley } from "./galley.ts";

/** Two recipes over one library: what changes with the model, what is inserted by depth, what stands beside an anchor. */
function airship(text: DemoTexts): Preset {
  return {
    version: 1,
    name: text.name,
    description: text.description,
    messageTemplates: [
      { id: "navigator", name: text.navigator.name, role: "system", content: text.navigator.content },
      { id: "captain", name: text.captain, role: "placeholder", type: "user_profile" },
      { id: "world", name: text.world, role: "placeholder", type: "placeholder" },
      {
        id: "kerosene_tax",
        name: text.tax.name,
        role: "system",
        content: text.tax.content,
        defaultInjectionStrategy: { anchorTarget: "world", anchorPosition: "after" },
        priority: 10,
      },
      { id: "chat_history", name: text.history, role: "placeholder", type: "chat_history" },
      {
        id: "note",
        name: text.note.name,
        role: "system",
        content: text.note.content,
        defaultInjectionStrategy: { depth: 2 },
      },
      { id: "think_first", name: text.think.name, role: "system", content: text.think.content },
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
        name: text.others,
        modelFilter: ["*"],
        steps: [
          ...steps("navigator", "captain", "world", "kerosene_tax"),
          { messageId: "think_first", enabled: false },
          ...steps("chat_history", "note"),
        ],
      },
    ],
    variables: { char: text.char },
  };
}

function steps(...ids: readonly string[]): { readonly messageId: string; readonly enabled: true }[] {
  return ids.map((messageId) => ({ messageId, enabled: true }));
}

interface Demo {
  readonly preset: string;
  readonly chat: string;
}

const demos: Readonly<Record<Language, Demo>> = {
  en: { preset: "airship", chat: "demo" },
  zh: { preset: "airship-zh", chat: "demo-zh" },
};

/**
 * Something to look at in the reader's language: a preset, a chat with two topics, two profiles. What is there already stays as
 * it is, edits included.
 */
export async function makeDemoWorkspace(galley: Galley, language: Language = "en"): Promise<Demo> {
  const text = demoTexts[language];
  const demo = demos[language];
  const saved = { preset: airship(text), expectedVersion: 0, label: "demo" };
  await galley.presets.save(demo.preset, saved).catch(unlessThere);
  const chat = await galley.chats.open(demo.chat);
  if (!chat.transcript({ maxMessages: 1 }).exists) {
    await chat.append(said(text.archived));
    await chat.newContext({ title: text.archivedTitle });
    await chat.append(said(text.active));
    await galley.chats.configure(demo.chat, { preset: demo.preset });
  }
  const { project: projectId, store } = galley;
  const handover = openHandover({ store });
  const known = new Set((await galley.handover.profiles()).map(({ name }) => name));
  for (const [name, words] of Object.entries(text.profiles)) {
    if (!known.has(name)) await saveProfile(handover, { projectId, name, text: words });
  }
  return demo;
}

function unlessThere(error: unknown): void {
  if (!(error instanceof GalleyError) || error.code !== "PresetConflict") throw error;
}

/** A question and its answer in turn. */
function said(lines: readonly string[]): { readonly role: "user" | "assistant"; readonly content: string }[] {
  return lines.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }));
}
