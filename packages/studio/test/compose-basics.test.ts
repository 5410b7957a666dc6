import type { Preset } from "@galley/engine";
import type { Locator, Page } from "playwright";
import { expect, test } from "vitest";
import { fixturePreset, heads, openPreset, savePreset, step, steps } from "./compose-fixture.ts";
import { isFocused, useStudio } from "./use-studio.ts";

// What is done every day in Compose, with the keys of a keyboard.

const studio = useStudio();

const lineOf = (page: Page, id: string): Promise<string> => step(page, id).getByTestId("step-line").innerText();

async function openSettings(page: Page, id: string): Promise<Locator> {
  await step(page, id)
    .getByRole("button", { name: `Settings of ${id}` })
    .click();
  return page.getByRole("group", { name: `Settings of ${id}` });
}

test("check 37: a row shows how its text begins, and is renamed in place; the name stands everywhere, the id in its tooltip", async () => {
  const unnamed = (fixturePreset.messageTemplates ?? []).map((template) => ({ ...template, name: "" }));
  const { page, saved } = await openPreset(studio, { preset: { ...fixturePreset, messageTemplates: unnamed } });
  await expect.poll(() => lineOf(page, "history")).toBe("The conversation stands here.");
  await step(page, "history").getByText("Conversation", { exact: true }).waitFor();
  // Without a name it is called by how it begins, here and in the preview; its id is for programs.
  const preview = page.getByRole("listbox", { name: "Live preview" });
  await expect.poll(() => preview.getByRole("option").first().innerText()).toMatch(/^system\s+List order/u);
  await expect.poll(() => preview.innerText()).not.toMatch(/\bm1 ·/u);
  await step(page, "core").getByRole("button", { name: "Actions for core text" }).waitFor();
  await expect
    .poll(() => step(page, "core").getByText("core text", { exact: true }).getAttribute("title"))
    .toBe("core");
  expect(await step(page, "core").getByText("core", { exact: true }).count()).toBe(0);
  await step(page, "core").getByText("core text", { exact: true }).dblclick();
  const name = page.getByRole("textbox", { name: "Name of core text" });
  await expect.poll(() => isFocused(name)).toBe(true);
  await page.keyboard.type("The rules");
  await page.keyboard.press("Enter");
  await name.waitFor({ state: "detached" });
  expect((await saved()).messageTemplates?.[0]).toMatchObject({ id: "core", name: "The rules" });
  await step(page, "core").getByRole("button", { name: "Settings of The rules" }).waitFor();
  await expect
    .poll(() => step(page, "core").getByText("The rules", { exact: true }).getAttribute("title"))
    .toBe("core");
  expect(await lineOf(page, "core")).toBe("core text");
  // By the menu, and given up.
  await step(page, "core").getByRole("button", { name: "Actions for The rules" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.keyboard.type("Something else");
  await page.keyboard.press("Escape");
  await step(page, "core").getByText("The rules", { exact: true }).waitFor();
});

test("check 37: a new message opens with the focus in its text, and the dialog of a new preset with its name selected", async () => {
  const list: Preset = { presetMessages: [{ id: "history", type: "chat_history", role: "user" }] };
  const { page, saved } = await openPreset(studio, { preset: list });
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("menuitem", { name: "Message", exact: true }).click();
  await expect.poll(() => isFocused(page.locator(".cm-content"))).toBe(true);
  await page.keyboard.type("Be brief.");
  expect((await saved()).presetMessages?.[1]?.content).toBe("Be brief.");
  await page.goto(`${studio.daemon.url}/compose`);
  await page.getByRole("button", { name: "New preset" }).click();
  await expect.poll(() => isFocused(page.getByRole("dialog").getByRole("textbox", { name: "Name" }))).toBe(true);
  await page.keyboard.type("harbour-rules");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/compose/harbour-rules");
});

test("check 37: to override here and to edit the template are two things; the simple view says which it does", async () => {
  const { page, saved } = await openPreset(studio);
  const form = await openSettings(page, "core");
  await expect.poll(() => form.innerText()).toMatch(/^Content override/);
  await form.getByText("What you type here holds for this step of this recipe only.").waitFor();
  await form.getByRole("button", { name: "Edit the template instead" }).click();
  const dialog = page.getByRole("dialog", { name: "Template core" });
  await expect.poll(() => isFocused(dialog.locator(".cm-content"))).toBe(true);
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(" for all");
  await dialog.getByRole("button", { name: "Save" }).click();
  const { messageTemplates, contextRecipes } = await saved();
  expect(messageTemplates?.[0]?.content).toBe("core text for all");
  expect(contextRecipes).toEqual(fixturePreset.contextRecipes);
  // The recipe for all other models is for all that there are.
  await page.getByRole("tab", { name: "default-recipe" }).click();
  await page.getByText(/^fits [1-9]\d+ models$/).waitFor();
  await page.getByRole("button", { name: "Simple", exact: true }).click();
  await page.getByText("it changes in all 5 recipes").waitFor();
});

test("check 37: undo goes across the border of the editor: from inside of it, too, edits of the rest are taken back", async () => {
  const { page } = await openPreset(studio);
  await step(page, "world").getByRole("button", { name: "Actions for world" }).click();
  await page.getByRole("menuitem", { name: "Move to the top" }).click();
  await expect.poll(() => steps(page).then(([first]) => first)).toBe("world");
  await openSettings(page, "core");
  const editor = page.locator(".cm-content");
  await editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("!");
  await page.getByRole("button", { name: "Undo: edit text" }).waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(() => editor.innerText()).toBe("core text");
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(() => steps(page).then(([first]) => first)).toBe("core");
  await page.keyboard.press("ControlOrMeta+Shift+Z");
  await page.keyboard.press("ControlOrMeta+Shift+Z");
  await expect.poll(() => editor.innerText()).toBe("core text!");
});

test("check 37: the preview begins with the chat that has the preset's name", async () => {
  const preset = await savePreset(studio);
  const messages = [{ role: "assistant" as const, content: "greeting of the card" }];
  await studio.daemon.ask("chats.add", { params: { key: preset }, body: { messages } });
  const page = await studio.open(`/compose/${preset}`);
  await expect.poll(() => heads(page)).toContain("greeting");
  await page.getByRole("textbox", { name: "Next message" }).waitFor();
});

test("[89] a preset that is not there: the page keeps its heading, and says in the reader's language what is wrong", async () => {
  const page = await studio.open("/compose/nothing-here", { language: "zh", expects: ["not found"] });
  await page.getByRole("heading", { level: 1, name: "编排" }).waitFor();
  const said = await page.getByRole("alert").innerText();
  expect(said).toContain("请求的内容不存在。");
  expect(said).toContain('The library has no preset "nothing-here".');
});
