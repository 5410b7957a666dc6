import type { ContextRecipe, Preset, SessionEntry } from "@galley/engine";
import type { Locator, Page } from "playwright";
import type { Daemon } from "./start-daemon.ts";
import type { OpenOptions, Studio } from "./use-studio.ts";

const claude: ContextRecipe = {
  id: "claude-recipe",
  modelFilter: ["claude-*"],
  steps: [
    { messageId: "core", enabled: true },
    { messageId: "anchor", enabled: true },
    { messageId: "history", enabled: true },
    { messageId: "thinking", enabled: true, injectionStrategy: { depth: 0 } },
    { messageId: "world", enabled: true },
  ],
};

/** A preset with one of everything, whose texts are their own names, so that a message tells where it comes from. */
export const fixturePreset: Preset = {
  version: 1,
  messageTemplates: [
    { id: "core", name: "core", role: "system", content: "core text" },
    { id: "anchor", type: "placeholder", role: "system" },
    { id: "history", type: "chat_history", role: "user" },
    { id: "thinking", name: "thinking", role: "system", content: "thinking text" },
    {
      id: "world",
      name: "world",
      role: "system",
      content: "world text",
      defaultInjectionStrategy: { anchorTarget: "anchor", anchorPosition: "after" },
    },
    { id: "note", name: "note", role: "system", content: "note text" },
    { id: "extra", name: "extra", role: "user", content: "extra text" },
  ],
  contextRecipes: [
    claude,
    { id: "opus-recipe", modelFilter: ["claude-opus-*"], steps: claude.steps.slice(0, 3) },
    { id: "exact-recipe", modelFilter: ["gpt-5"], steps: claude.steps.slice(0, 4) },
    {
      id: "default-recipe",
      modelFilter: ["*"],
      steps: claude.steps.filter(({ messageId }) => messageId !== "thinking"),
    },
    { id: "empty-recipe", modelFilter: ["nobody"], steps: [] },
  ],
};

/** `m1` … `m<count>`, by user and assistant in turn. */
function conversation(count: number, words = 3): readonly SessionEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `m${index + 1}`,
    ts: 1000 + index,
    type: "message" as const,
    message: {
      role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content: `m${index + 1} says ${"word ".repeat(words).trim()}`,
    },
  }));
}

const fixtureModel = "claude-sonnet-4-5";

export interface OpenedPreset {
  readonly id: string;
  readonly page: Page;
  /** The document as the daemon has it, once the page has saved. */
  readonly saved: () => Promise<Preset>;
}

export interface OpenPresetOptions extends OpenOptions {
  readonly preset?: Preset;
  readonly model?: string;
  readonly messages?: number;
  readonly words?: number;
  readonly query?: string;
}

let made = 0;

/** Puts a preset of its own into the library, and gives its name. */
export async function savePreset(studio: Studio, preset = fixturePreset): Promise<string> {
  const id = `preset-${(made += 1)}`;
  await studio.daemon.ask("presets.save", { params: { id }, body: { preset, expectedVersion: 0 } });
  return id;
}

/** Opens a preset of its own with a conversation of its own, and waits until its tokens are counted by its tokenizer. */
export async function openPreset(studio: Studio, options: OpenPresetOptions = {}): Promise<OpenedPreset> {
  const { preset = fixturePreset, model = fixtureModel, messages = 6, words = 3, query = "", ...rest } = options;
  const id = await savePreset(studio, preset);
  await studio.daemon.ask("sessions.import", {
    params: { id: `session-${id}` },
    body: { entries: [...conversation(messages, words)] },
  });
  const page = await studio.open(`/compose/${id}?model=${model}&source=session:session-${id}${query}`, rest);
  await page.locator("#page-heading").waitFor();
  await page.locator(`[data-entries="${messages}"][data-counted]`).waitFor({ state: "attached" });
  return { id, page, saved: () => savedPreset(studio.daemon, page, id) };
}

async function savedPreset(daemon: Daemon, page: Page, id: string): Promise<Preset> {
  await page.locator("[data-status=saved]").waitFor();
  return (await daemon.ask("presets.get", { params: { id } })).preset;
}

/** The ids of the steps, in order. */
export function steps(page: Page): Promise<readonly string[]> {
  return page.locator("[data-step]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-step") ?? ""));
}

export function step(page: Page, id: string): Locator {
  return page.locator(`[data-step="${id}"]`);
}

/** Switches a step on or off, as a person does: the input itself lies hidden behind its picture. */
export function flip(row: Locator): Promise<void> {
  return row
    .locator("label")
    .filter({ has: row.page().getByRole("switch") })
    .click();
}

export function template(page: Page, id: string): Locator {
  return page.locator(`[data-template="${id}"]`);
}

/** The texts of the preview's messages, in order. Short conversations only: what is out of sight is not in the page. */
export async function messages(page: Page): Promise<readonly string[]> {
  return page
    .locator("[data-message]")
    .evaluateAll((items) =>
      items
        .sort((a, b) => Number(a.getAttribute("data-message")) - Number(b.getAttribute("data-message")))
        .map((item) => item.querySelector("p")?.textContent ?? ""),
    );
}

/** The first word of each message: `core`, `m1` … */
export async function heads(page: Page): Promise<readonly string[]> {
  return (await messages(page)).map((text) => text.split(" ", 1)[0] ?? "");
}

/** Drags by mouse to just above or below the middle of the target. */
export async function drag(page: Page, from: Locator, to: Locator, side: "above" | "below"): Promise<void> {
  const [start, end] = [await boxOf(from), await boxOf(to)];
  await page.mouse.move(start.x + 14, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(start.x + 20, start.y + start.height / 2 + 8, { steps: 3 });
  const y = side === "above" ? end.y + 4 : end.y + end.height - 4;
  await page.mouse.move(end.x + end.width / 2, y, { steps: 8 });
  await page.mouse.move(end.x + end.width / 2, y, { steps: 2 });
}

async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await locator.boundingBox();
  if (!box) throw new Error("It is not on the screen.");
  return box;
}
