import type { Preset } from "@galley/engine";
import type { Locator, Page } from "playwright";
import { expect, test } from "vitest";
import { drag, fixturePreset, flip, heads, openPreset, savePreset, step, steps, template } from "./compose-fixture.ts";
import { useStudio } from "./use-studio.ts";

const studio = useStudio();

const before = ["core", "anchor", "history", "thinking", "world"];
const history = ["m1", "m2", "m3", "m4", "m5", "m6"];

async function settingsOf(page: Page, id: string): Promise<Locator> {
  await step(page, id)
    .getByRole("button", { name: `Settings of ${id}` })
    .click();
  const form = page.getByRole("group", { name: `Settings of ${id}` });
  // The editor of its text is loaded late, and moves what stands below it.
  await form.locator(".cm-content").first().waitFor();
  return form;
}

async function setDepth(form: Locator, depth: number): Promise<void> {
  const field = form.getByRole("textbox", { name: "Depth" });
  await field.fill(String(depth));
  await field.press("Enter");
}

const tagOf = (page: Page, id: string): Locator => step(page, id).getByTestId("strategy-tag");

test("check 7: drag, switch, strategy and delete are undone and redone by name, after a reload too", async () => {
  const { page, saved } = await openPreset(studio);
  await drag(page, step(page, "world"), step(page, "core"), "above");
  await page.mouse.up();
  await flip(step(page, "core"));
  await setDepth(await settingsOf(page, "thinking"), 3);
  await step(page, "anchor").getByRole("button", { name: "Actions for anchor" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const after = ["world", "core", "history", "thinking"];
  await expect.poll(() => steps(page)).toEqual(after);
  const edited = await saved();
  await page.reload();
  await expect.poll(() => steps(page)).toEqual(after);
  for (const name of ["delete step", "set depth", "disable step", "move step"]) {
    await page.getByRole("button", { name: `Undo: ${name}` }).click();
  }
  await expect.poll(() => steps(page)).toEqual(before);
  await page.getByRole("button", { name: "Nothing to undo" }).waitFor();
  await expect.poll(() => saved()).toEqual(fixturePreset);
  await page.reload();
  for (const name of ["move step", "disable step", "set depth", "delete step"]) {
    await page.getByRole("button", { name: `Redo: ${name}` }).click();
  }
  await expect.poll(() => steps(page)).toEqual(after);
  await page.getByRole("button", { name: "Nothing to redo" }).waitFor();
  await expect.poll(() => saved()).toEqual(edited);
});

test("the Undo of a notice is for its own edit: once that is undone or another is made, the notice is gone", async () => {
  const { page } = await openPreset(studio);
  const notice = page.getByText("note is added as step 6.");
  await template(page, "note").getByRole("button", { name: "Add note to the recipe" }).click();
  await notice.waitFor();
  await page.getByRole("button", { name: "Undo: add step" }).click();
  await expect.poll(() => notice.count()).toBe(0);
  await template(page, "note").getByRole("button", { name: "Add note to the recipe" }).click();
  await notice.waitFor();
  await flip(step(page, "core"));
  await expect.poll(() => notice.count()).toBe(0);
});

test("check 8: each mode shows its own fields and its tag; a depth outside 0 to 99 is refused with a reason", async () => {
  const { page, saved } = await openPreset(studio);
  const form = await settingsOf(page, "thinking");
  const [depth, target] = [form.getByRole("textbox", { name: "Depth" }), form.getByRole("button", { name: "Target" })];
  await expect.poll(() => Promise.all([depth.count(), target.count()])).toEqual([1, 0]);
  await expect.poll(() => tagOf(page, "thinking").innerText()).toBe("Depth: 0");
  await setDepth(form, 100);
  await form.getByText("Depth goes from 0 to 99").waitFor();
  await expect.poll(() => tagOf(page, "thinking").innerText()).toBe("Depth: 0");
  await setDepth(form, 99);
  await expect.poll(() => tagOf(page, "thinking").innerText()).toBe("Depth: 99");
  await form.getByText("Depth goes from 0 to 99").waitFor({ state: "detached" });
  await setDepth(form, -1);
  await form.getByText("Depth goes from 0 to 99").waitFor();
  expect((await saved()).contextRecipes?.[0]?.steps[3]?.injectionStrategy).toEqual({ depth: 99 });
  await form.getByRole("radio", { name: "Anchor" }).check({ force: true });
  await expect.poll(() => Promise.all([depth.count(), target.count()])).toEqual([0, 1]);
  await expect.poll(() => tagOf(page, "thinking").innerText()).toContain("chat_history");
  await form.getByRole("radio", { name: "Follow list" }).check({ force: true });
  await expect.poll(() => Promise.all([depth.count(), target.count()])).toEqual([0, 0]);
  await expect.poll(() => tagOf(page, "thinking").count()).toBe(0);
  await expect.poll(() => step(page, "world").getByTestId("strategy-tag").getAttribute("data-inherited")).toBe("true");
});

test("check 9: [C5] depths 0, 1, 3 and 99 land where they should", async () => {
  const { page } = await openPreset(studio);
  const form = await settingsOf(page, "thinking");
  for (const [depth, at] of [
    [1, 5],
    [3, 3],
    [99, 0],
    [0, 6],
  ] as const) {
    await setDepth(form, depth);
    await expect
      .poll(() => heads(page))
      .toEqual(["core", "world", ...history.slice(0, at), "thinking", ...history.slice(at)]);
  }
});

test("check 9: [C8, C9] a new placeholder is an anchor at once, and a missing one is named", async () => {
  const { page } = await openPreset(studio);
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByRole("textbox", { name: "ID" }).fill("fresh_anchor");
  await page.getByRole("button", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Placeholder (anchor)" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const form = await settingsOf(page, "thinking");
  await form.getByRole("radio", { name: "Anchor" }).check({ force: true });
  await form.getByRole("button", { name: "Target" }).click();
  await page.getByRole("option", { name: "fresh_anchor" }).click();
  await expect.poll(() => tagOf(page, "thinking").innerText()).toContain("fresh_anchor");
  const row = page.locator('[data-not-sent="thinking"]');
  await row.waitFor();
  await expect.poll(() => row.innerText()).toContain("fresh_anchor");
});

test("check 9: [C9] an anchor that is deleted under an injection is named, and nothing is lost", async () => {
  const preset: Preset = {
    presetMessages: [
      { id: "place", type: "placeholder", role: "system" },
      { id: "lore", role: "system", content: "lore text", injectionStrategy: { anchorTarget: "place" } },
    ],
  };
  const { page, saved } = await openPreset(studio, { preset });
  await step(page, "place").getByRole("button", { name: "Actions for place" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await expect.poll(() => page.locator('[data-not-sent="lore"]').innerText()).toContain("place");
  await page.getByRole("button", { name: "1 problem" }).click();
  await page.getByRole("dialog").getByText('Nothing in the preset defines the anchor "place".').waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("alert").filter({ hasText: "Your last edits are not saved." }).waitFor();
  const form = await settingsOf(page, "lore");
  await form.getByText("There is no anchor place.").first().waitFor();
  await page.getByRole("button", { name: "Undo: delete step" }).click();
  await page.getByRole("button", { name: "1 problem" }).waitFor({ state: "detached" });
  await expect.poll(() => saved()).toEqual(preset);
});

test("check 10: [C3] what is inherited shows so; an edit overrides it, Reset gives it back", async () => {
  const { page, saved } = await openPreset(studio);
  const form = await settingsOf(page, "world");
  const [content, injection] = [form.locator("[data-inheritance]").nth(0), form.locator("[data-inheritance]").nth(2)];
  const state = (of: Locator): Promise<string | null> => of.getAttribute("data-inheritance");
  await expect.poll(() => Promise.all([state(injection), state(content)])).toEqual(["inherited", "inherited"]);
  await form.getByRole("radio", { name: "Depth" }).check({ force: true });
  await expect.poll(() => state(injection)).toBe("overridden");
  await content.locator(".cm-content").fill("another text");
  await expect.poll(() => state(content)).toBe("overridden");
  await expect.poll(() => heads(page)).toContain("another");
  expect((await saved()).contextRecipes?.[0]?.steps[4]).toEqual({
    messageId: "world",
    enabled: true,
    injectionStrategy: { depth: 0 },
    overrides: { content: "another text" },
  });
  for (const of of [injection, content]) {
    await of.getByRole("button", { name: "Reset to template" }).click();
    await expect.poll(() => state(of)).toBe("inherited");
  }
  await expect.poll(() => heads(page)).toEqual(["core", "world", ...history, "thinking"]);
  await expect.poll(() => saved()).toEqual(fixturePreset);
});

test("check 11: a disabled step leaves the preview and stands in Not sent, with what brings it back", async () => {
  const { page } = await openPreset(studio);
  await flip(step(page, "core"));
  await expect.poll(() => heads(page)).toEqual(["world", ...history, "thinking"]);
  const row = page.locator('[data-not-sent="core"]');
  await expect.poll(() => row.innerText()).toMatch(/switched off[\s\S]*To keep it: switch it on/);
  await flip(step(page, "core"));
  await expect.poll(() => row.count()).toBe(0);
  // Dozens of them, as an import brings them, are one line that opens.
  const off = Array.from({ length: 7 }, (_, at) => ({ role: "system" as const, content: `off ${at}`, enabled: false }));
  const rest = [
    { role: "system" as const, content: "on" },
    { type: "chat_history" as const, role: "user" as const },
  ];
  const preset = await savePreset(studio, { presetMessages: [...off, ...rest] });
  await page.goto(`${studio.daemon.url}/compose/${preset}`);
  const line = page
    .getByRole("region", { name: "Not sent" })
    .getByRole("button", { name: "7 are switched off or empty" });
  await line.waitFor();
  expect(await page.locator("[data-not-sent]").count()).toBe(0);
  await line.press("Enter");
  await expect.poll(() => page.locator("[data-not-sent]").count()).toBe(7);
});

test("check 13: [C2] the model chooses the recipe, and the header names the rule", async () => {
  const { page } = await openPreset(studio);
  const match = page.getByTestId("recipe-match");
  const box = page.getByRole("combobox", { name: "Model" });
  for (const [model, told, rows] of [
    ["claude-opus-4-1", "matched by claude-opus-* → opus-recipe", ["core", "anchor", "history"]],
    ["gpt-5", "matched by gpt-5 → exact-recipe", ["core", "anchor", "history", "thinking"]],
    ["some-model-of-mine", "matched by * → default-recipe", ["core", "anchor", "history", "world"]],
    ["claude-sonnet-4-5", "matched by claude-* → claude-recipe", before],
  ] as const) {
    await box.fill(model);
    await box.press("Enter");
    await expect.poll(() => match.innerText()).toBe(told);
    await expect.poll(() => steps(page)).toEqual(rows);
    await expect.poll(() => page.getByRole("tab", { name: /In force/, selected: true }).count()).toBe(1);
  }
});

test("a model is chosen from the list by arrow and Enter; the list closes", async () => {
  const { page } = await openPreset(studio);
  const box = page.getByRole("combobox", { name: "Model" });
  await box.fill("opus");
  await page.getByRole("option", { name: /opus/ }).first().waitFor();
  await box.press("ArrowDown");
  const name = page.locator("[role=option][data-focused] .font-mono");
  const marked = await name.innerText();
  await box.press("Enter");
  await expect.poll(() => box.inputValue()).toBe(marked);
  await expect.poll(() => page.getByRole("option", { name: /opus/ }).count()).toBe(0);
  await expect.poll(() => new URL(page.url()).searchParams.get("model")).toBe(marked);
  await expect.poll(() => page.getByTestId("recipe-match").innerText()).toContain("opus-recipe");
});

test("a figure is counted with the tokenizer that the daemon uses for the model", async () => {
  const { page } = await openPreset(studio, { model: "demo" });
  await expect.poll(() => page.getByText("(exact, o200k_base)").count()).toBe(1);
});

test("check 14: hover and focus tie a step to its message, both ways", async () => {
  const { page } = await openPreset(studio);
  const message = page.locator("[data-message]", { hasText: "thinking text" });
  await step(page, "thinking").hover();
  await expect.poll(() => message.getAttribute("data-linked")).toBe("true");
  await page.getByRole("heading", { level: 1 }).hover();
  await expect.poll(() => message.getAttribute("data-linked")).toBe(null);
  await step(page, "core").focus();
  await expect.poll(() => page.locator('[data-message="0"]').getAttribute("data-linked")).toBe("true");
  await message.hover();
  await expect.poll(() => step(page, "thinking").locator("[data-linked]").getAttribute("data-linked")).toBe("true");
  await page.locator('[data-message="0"]').focus();
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => step(page, "world").locator("[data-linked]").getAttribute("data-linked")).toBe("true");
});
