import { readFile } from "node:fs/promises";
import type { Preset } from "@galley/engine";
import type { Daemon } from "./start-daemon.ts";

export interface Seeded {
  readonly preset: string;
  readonly simplePreset: string;
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

/** Both presets, a chat with turns of the demo model and a context that was put away: something for every page. */
export async function seedStudio(daemon: Daemon): Promise<Seeded> {
  await seedPresets(daemon);
  const say = (input: string): Promise<unknown> =>
    daemon.ask("runs.start", { body: { chat: "demo", model: "demo", preset: "recipes", input } });
  await say("飞艇的煤油税怎么计算？");
  await say("Where is it in the code?");
  await daemon.ask("chats.new", { params: { key: "demo" }, body: { title: "煤油税 and parliament" } });
  await say("Something else now.");
  return { preset: "recipes", simplePreset: "simple", chat: "demo", session: "chat:demo" };
}
