import { readFile } from "node:fs/promises";
import type { Preset } from "@galley/engine";
import type { Daemon } from "./start-daemon.ts";

export interface Seeded {
  readonly preset: string;
  readonly simplePreset: string;
  /** With entries of a lorebook. */
  readonly lorePreset: string;
  readonly chat: string;
  readonly session: string;
}

async function readExample(name: string): Promise<Preset> {
  return JSON.parse(await readFile(new URL(`../../../examples/${name}`, import.meta.url), "utf8")) as Preset;
}

/** The two presets of the examples: `recipes` is advanced, `simple` is simple. */
export async function seedPresets(daemon: Daemon): Promise<void> {
  for (const id of ["recipes", "simple"]) {
    const body = { preset: await readExample(`${id}.json`), expectedVersion: 0 };
    await daemon.ask("presets.save", { params: { id }, body });
  }
}

const lorePreset: Preset = {
  presetMessages: [
    { id: "core", role: "system", content: "You are the keeper of the harbour's ledger." },
    { id: "history", type: "chat_history", role: "user" },
    ...[
      ["The old tower", "The tower has a bell and a lamp. Nobody lives there.", ["tower", "spire"]],
      ["Kerosene tax", "The kerosene tax is paid per litre, at the end of each quarter.", ["kerosene", "煤油", "tax"]],
      ["The tide", "The tide turns at noon.", []],
    ].map(([name, content, keys], index) => ({
      id: `harbour/${index}`,
      role: "system" as const,
      name: name as string,
      content: content as string,
      activation: { book: "harbour", uid: index, keys: keys as string[], ...(index === 2 && { constant: true }) },
      injectionStrategy: { depth: 4 },
    })),
  ],
};

/** Both presets and a lorebook, a chat with turns of the demo model and a context that was put away: something for every page. */
export async function seedStudio(daemon: Daemon): Promise<Seeded> {
  await seedPresets(daemon);
  await daemon.ask("presets.save", { params: { id: "harbour" }, body: { preset: lorePreset, expectedVersion: 0 } });
  const say = (input: string): Promise<unknown> =>
    daemon.ask("runs.start", { body: { chat: "demo", model: "demo", preset: "recipes", input } });
  await say("飞艇的煤油税怎么计算？");
  await say("Where is it in the code?");
  await daemon.ask("chats.new", { params: { key: "demo" }, body: { title: "煤油税 and parliament" } });
  await say("Something else now.");
  return { preset: "recipes", simplePreset: "simple", lorePreset: "harbour", chat: "demo", session: "chat:demo" };
}
