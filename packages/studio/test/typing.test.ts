import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Preset } from "@galley/engine";
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launcher } from "../../../scripts/launcher.ts";
import { openPreset, savePreset, step, template } from "./compose-fixture.ts";
import { useStudio } from "./use-studio.ts";

// Every editor, key by key: an element that is put in another's place while somebody types takes the focus away, and the
// next keys become shortcuts.

const folder = mkdtempSync(join(tmpdir(), "galley-typing-"));
const echo = fileURLToPath(new URL("../../../examples/agent/echo-agent.ts", import.meta.url));
const agents = [{ name: "echo", archetype: "service", command: process.execPath, args: [echo], permissions: "deny" }];
writeFileSync(join(folder, "galley.config.json"), JSON.stringify({ agents }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const studio = useStudio({ args: ["--config", folder] });
beforeAll(() => {
  const profile = ["profile", "add", "writer", "--text", "Be brief.", "--data", studio.daemon.data];
  execFileSync(process.execPath, [launcher, ...profile]);
});

/** `/` and `?` are shortcuts of the frame wherever no text is written. */
const words = "tax? a/b 税";

/** What has the focus, also inside of a shadow root. */
function focused(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

const textOf = (field: Locator): Promise<string> =>
  field.evaluate((element) => ("value" in element ? String(element.value) : (element as HTMLElement).innerText));

/** Types over what is there, as a person does, and expects every key to arrive in the one element. */
async function expectTyped(page: Page, field: Locator, text = words): Promise<void> {
  await field.click();
  await page.keyboard.press("ControlOrMeta+a");
  const element = await page.evaluateHandle(focused);
  await page.keyboard.type(text, { delay: 10 });
  const focus = await page.evaluateHandle(focused);
  await expect.poll(() => page.evaluate((both) => both.focus === both.element, { focus, element })).toBe(true);
  await expect.poll(() => textOf(field)).toBe(text);
}

async function settingsOf(page: Page, id: string): Promise<Locator> {
  await step(page, id)
    .getByRole("button", { name: `Settings of ${id}` })
    .click();
  return page.getByRole("group", { name: `Settings of ${id}` });
}

const field = (within: Page | Locator, name: string): Locator => within.getByRole("textbox", { name, exact: true });
const search = (within: Page | Locator, name: string): Locator => within.getByRole("searchbox", { name });

test("[C3] the text of a step that inherits it, which the first key overrides, and its numbers", async () => {
  const { page, saved } = await openPreset(studio);
  const form = await settingsOf(page, "thinking");
  const inherited = form.locator('[data-inheritance="inherited"] .cm-content');
  await expectTyped(page, form.locator(".cm-content"));
  await expect.poll(() => inherited.count()).toBe(0);
  await form.getByRole("button", { name: "Reset to template" }).first().click();
  await expect.poll(() => textOf(form.locator(".cm-content"))).toBe("thinking text");
  await expectTyped(page, form.locator(".cm-content"), "own words");
  await expectTyped(page, field(form, "Depth"), "12");
  await expectTyped(page, field(form, "Order"), "345");
  await form.getByText("May be left out").click();
  await expectTyped(page, field(form, "Priority"), "67");
  await page.keyboard.press("Tab");
  const strategy = { depth: 12, order: 345 };
  expect((await saved()).contextRecipes?.[0]?.steps[3]).toEqual({
    messageId: "thinking",
    enabled: true,
    injectionStrategy: strategy,
    overrides: { content: "own words" },
    priority: 67,
  });
});

const list: Preset = {
  presetMessages: [
    { id: "core", name: "core", role: "system", content: "core text" },
    { id: "history", type: "chat_history", role: "user" },
  ],
};

test("[C11] the text of a list, in the simple view and in the advanced one, whose first key changes its form", async () => {
  for (const view of ["simple", "advanced"] as const) {
    const { page, saved } = await openPreset(studio, { preset: list, query: `&view=${view}` });
    await expectTyped(page, (await settingsOf(page, "core")).locator(".cm-content"));
    const preset = await saved();
    const text = view === "simple" ? preset.presetMessages?.[0] : preset.contextRecipes?.[0]?.steps[0]?.overrides;
    expect(text?.content).toBe(words);
  }
});

test("[C11] recipe, template and step of a list are duplicated in the advanced view", async () => {
  const { page, saved } = await openPreset(studio, { preset: list, query: "&view=advanced" });
  const duplicate = async (menu: Locator, edit: string): Promise<void> => {
    await menu.click();
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByRole("button", { name: `Undo: ${edit}` }).waitFor();
  };
  const undo = async (edit: string): Promise<void> => {
    await page.getByRole("button", { name: `Undo: ${edit}` }).click();
    await page.getByRole("button", { name: "Nothing to undo" }).waitFor();
  };
  await duplicate(step(page, "core").getByRole("button", { name: "Actions for core" }), "duplicate step");
  expect((await saved()).contextRecipes?.[0]?.steps).toHaveLength(3);
  await undo("duplicate step");
  await duplicate(
    template(page, "core").getByRole("button", { name: "Actions for the template core" }),
    "duplicate template",
  );
  expect((await saved()).messageTemplates?.map(({ id }) => id)).toEqual(["core", "core-copy", "history"]);
  await undo("duplicate template");
  await duplicate(page.getByRole("button", { name: "Actions for the recipe default" }), "duplicate recipe");
  await page.getByRole("tab", { name: "default-copy", selected: true }).waitFor();
  expect((await saved()).contextRecipes?.map(({ id }) => id)).toEqual(["default", "default-copy"]);
});

test("recipe, model filter, model, budget, search and picker of Compose", async () => {
  const { page } = await openPreset(studio);
  await expectTyped(page, field(page, "Add a model, such as claude-*"));
  await expectTyped(page, search(page, "Search templates"));
  await search(page, "Search templates").press("Escape");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await expectTyped(page, search(page.getByRole("dialog"), "Search templates"));
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Actions for the recipe claude-recipe" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await expectTyped(page, field(page, "Recipe ID"));
  await page.keyboard.press("Escape");
  await step(page, "core").getByRole("button", { name: "Actions for core" }).click();
  await page.getByRole("menuitem", { name: "Move to …" }).click();
  await expectTyped(page, field(page, "Position"), "12");
  await page.keyboard.press("Escape");
  await expectTyped(page, field(page, "Budget in tokens"), "1234");
  await expectTyped(page, page.getByRole("combobox", { name: "Model" }));
});

test("a new template, and one that is there", async () => {
  const { page } = await openPreset(studio);
  await page.getByRole("button", { name: "New", exact: true }).click();
  await expectTyped(page, field(page, "Name"));
  await expectTyped(page, field(page, "ID, for programs and anchors"));
  await expectTyped(page, page.getByRole("dialog").locator(".cm-content"));
  await page.getByRole("button", { name: "Cancel" }).click();
  await template(page, "core").getByRole("button", { name: "Actions for the template core" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await expectTyped(page, page.getByRole("dialog").locator(".cm-content"));
  await expectTyped(page, field(page, "ID, for programs and anchors"));
});

test("name, description, variables, profile and the text that follows", async () => {
  const { page, saved } = await openPreset(studio);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Name, variables, post-processing" }).click();
  const dialog = page.getByRole("dialog");
  await expectTyped(page, field(dialog, "Display name"));
  await expectTyped(page, field(dialog, "Description"));
  await expectTyped(page, field(dialog, "Name"), "harbour");
  await dialog.getByRole("button", { name: "Add a variable" }).click();
  await expectTyped(page, field(dialog, "{{harbour}}"));
  await expectTyped(page, field(dialog, "User profile for the preview"));
  await dialog.getByText("Go on with the last message", { exact: true }).click();
  await expectTyped(page, field(dialog, "Text that follows the last message"));
  const { name, description, variables, postProcessing } = await saved();
  expect({ name, description, variables, postProcessing }).toEqual({
    name: words,
    description: words,
    variables: { harbour: words },
    postProcessing: { continueLast: words },
  });
});

test("presets: search and the name of a new one", async () => {
  await savePreset(studio);
  const page = await studio.open("/compose");
  await expectTyped(page, search(page, "Search presets"));
  await page.getByRole("button", { name: "New preset" }).click();
  await expectTyped(page, field(page.getByRole("dialog"), "Name"));
});

test("chats: the list, the box, contexts, titles, and the editor of a message", async () => {
  await studio.daemon.ask("runs.start", { body: { chat: "typed", model: "demo", input: "first" } });
  await studio.daemon.ask("chats.new", { params: { key: "typed" }, body: { title: "Old" } });
  await studio.daemon.ask("runs.start", { body: { chat: "typed", model: "demo", input: "second" } });
  const page = await studio.open("/chats");
  await expectTyped(page, search(page, "Search all chats"));
  await page.goto(`${studio.daemon.url}/chats/typed`);
  await page.getByRole("button", { name: "Rename the chat" }).click();
  await expectTyped(page, field(page, "Title of the chat"));
  await page.keyboard.press("Escape");
  await expectTyped(page, field(page, "Message"));
  await expectTyped(page, search(page, "Search archived contexts"));
  await page.getByRole("button", { name: "New context" }).click();
  await expectTyped(page, field(page, "Title of what is put away"));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Edit" }).click();
  await expectTyped(page, field(page, "Say it differently"));
});

test("the palette, settings, sessions, a task and an agent", async () => {
  await studio.daemon.ask("runs.start", { body: { chat: "session", model: "demo", input: "first" } });
  const page = await studio.open("/settings");
  await expectTyped(page, search(page, "Search models"));
  await page.keyboard.press("ControlOrMeta+k");
  await expectTyped(page, page.getByPlaceholder(/^Go to a page/));
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.goto(`${studio.daemon.url}/sessions`);
  await expectTyped(page, search(page, "Search sessions"));
  await page.goto(`${studio.daemon.url}/boxes`);
  await expectTyped(page, field(page, "What it is to do"));
  await page.goto(`${studio.daemon.url}/agents/echo`);
  await page.getByRole("button", { name: "Start echo" }).click();
  await expectTyped(page, field(page, "Say something to it"));
  await page.getByRole("button", { name: "Stop echo" }).click();
});

test("import and export", async () => {
  const page = await studio.open("/import");
  const card = fileURLToPath(new URL("../../../examples/sillytavern-card.json", import.meta.url));
  await page.setInputFiles("input[type=file]", card);
  await expectTyped(page, field(page, "Your name"));
  await expectTyped(page, field(page, "Name of the preset"));
  await expectTyped(page, field(page, "Name of the chat"));
  const id = await savePreset(studio);
  await page.goto(`${studio.daemon.url}/import?tab=export&preset=${id}`);
  await expectTyped(page, field(page, "Recipe of the model"));
});
