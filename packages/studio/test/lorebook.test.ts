import type { Activation, MessageTemplate, Preset } from "@galley/engine";
import type { Locator, Page } from "playwright";
import { expect, test } from "vitest";
import { type OpenedPreset, openPreset } from "./compose-fixture.ts";
import { expectAccessible, expectFitsPhone, useStudio } from "./use-studio.ts";

const studio = useStudio();

const entry = (id: string, content: string, activation: Activation): MessageTemplate => ({
  id,
  role: "system",
  content,
  activation: { book: "harbour", uid: id, ...activation },
  defaultInjectionStrategy: { depth: 4 },
});

/** Two thousand entries with a key each; some more that call each other, wait for two keys, or are always there. */
const entries: readonly MessageTemplate[] = [
  ...Array.from({ length: 1997 }, (_, index) =>
    entry(`e${index + 1}`, `Berth ${index + 1} of the harbour, with its crane.`, { keys: [`berth-${index + 1}`] }),
  ),
  { ...entry("tower", "The tower has a bell.", { keys: ["tower"], order: 200 }), name: "The old tower" },
  entry("bell", "The bell is cracked.", { keys: ["bell"], secondaryKeys: ["night"] }),
  entry("tide", "The tide turns at noon.", { constant: true }),
];

const lore: Preset = {
  messageTemplates: [...entries, { id: "history", type: "chat_history", role: "user" }],
  contextRecipes: [
    {
      id: "default",
      modelFilter: ["*"],
      steps: [{ messageId: "history", enabled: true }, ...entries.map(({ id }) => ({ messageId: id, enabled: true }))],
    },
  ],
};

const open = (preset = lore): Promise<OpenedPreset> => openPreset(studio, { preset, query: "&view=lorebook" });
const grid = (page: Page): Locator => page.getByRole("grid", { name: "Entries" });
const row = (page: Page, id: string): Locator => page.locator(`[data-entry="${id}"]`);
const count = (page: Page): Promise<string> => page.getByTestId("entry-count").innerText();

async function search(page: Page, words: string): Promise<void> {
  await page.getByRole("searchbox", { name: "Search names, keys and texts" }).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(words);
}

const templateOf = (preset: Preset, id: string): MessageTemplate | undefined =>
  preset.messageTemplates?.find((template) => template.id === id);

test("check 34: 2,000 entries are a table with keys, position, order and tokens; found by typing, edited one by one and many at once", async () => {
  const { page, saved } = await open();
  await expect.poll(() => count(page)).toBe("2,000 entries");
  await expect.poll(() => grid(page).getAttribute("aria-rowcount")).toBe("2001");
  await expect.poll(() => page.locator("*").count()).toBeLessThan(5000);
  // Search, and one entry by keyboard.
  await search(page, "tower");
  await expect.poll(() => count(page)).toBe("1 of 2,000 entries");
  const cells = await row(page, "tower").getByRole("gridcell").allInnerTexts();
  expect(cells.slice(2)).toEqual([
    expect.stringContaining("The old tower"),
    "tower",
    "Depth: 4",
    "200",
    expect.stringMatching(/^\d+$/),
  ]);
  await row(page, "tower").focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("group", { name: "Edit The old tower" });
  await form.getByRole("textbox", { name: "Keys", exact: true }).click();
  await page.keyboard.press("End");
  await page.keyboard.type(", spire, /light(house)?s/i");
  await form.getByRole("textbox", { name: "Stays", exact: true }).fill("3");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "detached" });
  expect(templateOf(await saved(), "tower")?.activation).toMatchObject({
    keys: ["tower", "spire", "/light(house)?s/i"],
    sticky: 3,
  });
  // Many at once: those of one search, as one edit.
  await search(page, "berth-19");
  await expect.poll(() => count(page)).toBe("109 of 2,000 entries");
  await page.getByRole("checkbox", { name: "Select all that are shown" }).press("Space");
  const bar = page.getByRole("group", { name: "109 selected" });
  await bar.getByRole("button", { name: "Switch off" }).click();
  await bar.getByRole("button", { name: "Set …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: "Order" }).press("Space");
  await dialog.getByRole("textbox", { name: "Order" }).fill("7");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  const after = await saved();
  const off = after.contextRecipes?.[0]?.steps.filter(({ enabled }) => !enabled) ?? [];
  expect(off).toHaveLength(109);
  expect(templateOf(after, "e19")?.activation?.order).toBe(7);
  await page.getByRole("button", { name: "Undo: edit entries" }).click();
  await page.getByRole("button", { name: "Undo: edit entries" }).click();
  await page.getByRole("button", { name: "Undo: edit entry" }).waitFor();
  expect((await saved()).contextRecipes).toEqual(lore.contextRecipes);
});

test("check 34: the other views leave thousands of entries to the lorebook, and lead to it; the arrow keys reach the last one", async () => {
  const { page } = await openPreset(studio, { preset: lore });
  await expect.poll(() => page.locator("[data-step]").count()).toBe(1);
  await page.getByRole("button", { name: "Open the lorebook" }).click();
  await row(page, "e1").focus();
  await page.keyboard.press("End");
  await expect.poll(() => row(page, "tide").evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Space");
  await page.getByRole("group", { name: "1 selected" }).waitFor();
  await expect.poll(() => row(page, "bell").getAttribute("aria-selected")).toBe("true");
});

test("check 35: a sentence that is typed shows which entries come, by which key, in which order, at which cost, and why the others do not", async () => {
  const { page } = await open();
  const fires = page.getByTestId("fires");
  await expect.poll(() => fires.innerText()).toMatch(/^1 of 2,000 come, \d+ tokens$/);
  await page.getByRole("textbox", { name: "A sentence to try" }).click();
  await page.keyboard.type("By night I went to the tower at berth-42.");
  await expect.poll(() => fires.innerText()).toMatch(/^4 of 2,000 come, \d+ tokens$/);
  const lines = page.locator("[data-fires]");
  const shown = (): Promise<readonly (string | null)[]> =>
    lines.evaluateAll((all) => all.map((line) => line.getAttribute("data-fires")));
  // For a moment the sentence ends in "berth-4", which is the key of another entry.
  await expect.poll(shown).toEqual(["tower", "e42", "tide", "bell"]);
  const [tower, , tide, bell] = await lines.allInnerTexts();
  expect(tower).toContain('key "tower" in message “what you typed”');
  expect(tide).toContain("it is always there");
  expect(bell).toContain('key "bell" in the entry The old tower, round 2');
  const quiet = page.locator("[data-quiet='1996']");
  await expect.poll(() => quiet.innerText()).toContain("none of the keys was found");
  // It agrees with what would be sent, and an entry is one press away.
  await page.getByRole("button", { name: "The old tower", exact: true }).click();
  await page.getByRole("group", { name: "Edit The old tower" }).waitFor();
});

test("check 34: an entry is added with the focus in its name, in the reader's own preset as well; axe, both languages, a phone", async () => {
  const simple: Preset = {
    presetMessages: [
      { id: "core", role: "system", content: "core text" },
      { id: "history", type: "chat_history", role: "user" },
    ],
  };
  const { page, saved } = await open(simple);
  await page.getByRole("button", { name: "Add an entry" }).click();
  const form = page.getByRole("group", { name: /^Edit/ });
  const name = form.getByRole("textbox", { name: "Name", exact: true });
  await expect.poll(() => name.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type("Harbour");
  await page.keyboard.press("Tab");
  await page.keyboard.type("harbour, 港口");
  await form.locator(".cm-content").click();
  await page.keyboard.type("The harbour is closed.");
  expect((await saved()).presetMessages?.at(-1)).toEqual({
    id: "entry",
    role: "system",
    name: "Harbour",
    content: "The harbour is closed.",
    activation: { keys: ["harbour", "港口"] },
    injectionStrategy: { depth: 4 },
  });
  await page.getByRole("textbox", { name: "A sentence to try" }).fill("港口在哪里？");
  await expect.poll(() => page.getByTestId("fires").innerText()).toContain("1 of 1 come");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Switch to English" }).click();
  await expectFitsPhone(page);
});

/** As the first version of the import made it: the entry waits for a key, and stands still. */
const asleep: Preset = {
  metadata: { sillytavern: {} },
  messageTemplates: [
    {
      id: "lamp",
      role: "system",
      content: "The lamp burns oil.",
      metadata: {
        sillytavern: { from: "entry", book: "lore", uid: 1, entry: { key: ["lamp"], position: 4, depth: 1 } },
      },
    },
    { id: "history", type: "chat_history", role: "user" },
  ],
  contextRecipes: [
    {
      id: "sillytavern",
      modelFilter: ["*"],
      steps: [
        { messageId: "lamp", enabled: false, injectionStrategy: { depth: 1 } },
        { messageId: "history", enabled: true },
      ],
    },
  ],
};

test("[K2a] entries of an earlier import are brought alive, saved as a version, and put to sleep again by Undo", async () => {
  const { page, saved } = await open(asleep);
  const offer = page.getByText("1 lorebook entry of this preset sleeps");
  await offer.waitFor();
  await page.getByRole("button", { name: "Bring it alive" }).click();
  await expect.poll(() => count(page)).toBe("1 entry");
  await expect.poll(() => offer.count()).toBe(0);
  const keysOf = async (): Promise<unknown> => templateOf(await saved(), "lamp")?.activation?.keys;
  await expect.poll(keysOf).toEqual(["lamp"]);
  await page.getByRole("button", { name: "Undo: bring entries alive" }).click();
  await offer.waitFor();
  await expect.poll(keysOf).toBe(undefined);
  await expectFitsPhone(page);
  await expectAccessible(page);
});
