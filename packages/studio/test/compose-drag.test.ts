import { expect, test } from "vitest";
import { drag, heads, openPreset, step, steps, template } from "./compose-fixture.ts";
import { isFocused, useStudio } from "./use-studio.ts";

const studio = useStudio();

const before = ["core", "anchor", "history", "thinking", "world"];
const history = ["m1", "m2", "m3", "m4", "m5", "m6"];

test("check 1: a template dragged between steps 2 and 3 stands there, and the preview has its message and its source", async () => {
  const { page, saved } = await openPreset(studio);
  await expect.poll(() => steps(page)).toEqual(before);
  await drag(page, template(page, "note"), step(page, "history"), "above");
  await page.mouse.up();
  const after = ["core", "anchor", "note", "history", "thinking", "world"];
  await expect.poll(() => steps(page)).toEqual(after);
  await expect.poll(() => heads(page)).toEqual(["core", "world", "note", ...history, "thinking"]);
  const message = page.locator('[data-message="2"]');
  await expect.poll(() => message.innerText()).toContain("note · List order");
  expect((await saved()).contextRecipes?.[0]?.steps.map(({ messageId }) => messageId)).toEqual(after);
});

test("check 2: step 5 dragged above step 1 is step 1", async () => {
  const { page } = await openPreset(studio);
  await drag(page, step(page, "world"), step(page, "core"), "above");
  await page.mouse.up();
  await expect.poll(() => steps(page)).toEqual(["world", "core", "anchor", "history", "thinking"]);
  await page.getByText("world is now step 1.").waitFor();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect.poll(() => steps(page)).toEqual(before);
});

test("check 3: a template can be dropped on an empty recipe", async () => {
  const { page } = await openPreset(studio, { query: "&recipe=empty-recipe" });
  await drag(page, template(page, "note"), page.getByText("Drag a template here, or add one."), "below");
  await page.mouse.up();
  await expect.poll(() => steps(page)).toEqual(["note"]);
});

test("check 4: while dragging, the line that shows where it will land is at least 2 px high and on top", async () => {
  const { page } = await openPreset(studio);
  await drag(page, template(page, "note"), step(page, "history"), "above");
  const line = page.locator("[role=row][data-drop-target]");
  await line.waitFor();
  const seen = await line.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const style = getComputedStyle(element);
    return { height: box.height, isOnTop: top === element, color: style.backgroundColor };
  });
  await page.mouse.up();
  expect(seen.height).toBeGreaterThanOrEqual(2);
  expect(seen.isOnTop).toBe(true);
  expect(seen.color).not.toBe("rgba(0, 0, 0, 0)");
});

test("check 5: by keyboard alone a step is moved and a template added; Escape restores; the focus ends on what was moved", async () => {
  const { page } = await openPreset(studio);
  const focused = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.closest("[data-step]")?.getAttribute("data-step"));
  const label = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  const dragTo = async (target: string): Promise<void> => {
    await page.keyboard.press("Enter");
    await expect.poll(label).toMatch(/^Insert/);
    for (let presses = 0; presses < 8 && (await label()) !== target; presses += 1) await page.keyboard.press("ArrowUp");
    await expect.poll(() => label()).toBe(target);
  };
  await step(page, "core").focus();
  for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press("ArrowDown");
  await expect.poll(focused).toBe("world");
  await page.keyboard.press("Tab");
  await dragTo("Insert between core and anchor");
  await page.keyboard.press("Escape");
  await expect.poll(focused).toBe("world");
  await expect.poll(() => steps(page)).toEqual(before);
  await step(page, "world").getByRole("button", { name: "Drag world" }).focus();
  await dragTo("Insert before core");
  await page.keyboard.press("Enter");
  await expect.poll(() => steps(page)).toEqual(["world", "core", "anchor", "history", "thinking"]);
  await expect.poll(focused).toBe("world");
  await template(page, "note").focus();
  await page.keyboard.press("Tab");
  await expect
    .poll(() => isFocused(template(page, "note").getByRole("button", { name: "Drag the template note" })))
    .toBe(true);
  await page.keyboard.press("Enter");
  await expect.poll(label).toMatch(/^Insert|^Drop/);
  for (let presses = 0; presses < 20 && (await label()) !== "Insert between anchor and Conversation"; presses += 1) {
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
  await expect.poll(() => steps(page)).toEqual(["world", "core", "anchor", "note", "history", "thinking"]);
  await expect.poll(focused).toBe("note");
});

test("check 6: Add and the Move menu do the same as dragging", async () => {
  const { page } = await openPreset(studio);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("option", { name: "note" }).click();
  await expect.poll(() => steps(page)).toEqual([...before, "note"]);
  const menu = async (id: string, item: string): Promise<void> => {
    await step(page, id)
      .getByRole("button", { name: `Actions for ${id}` })
      .click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  await menu("note", "Move to …");
  await page.getByRole("textbox", { name: "Position" }).fill("3");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await expect.poll(() => steps(page)).toEqual(["core", "anchor", "note", "history", "thinking", "world"]);
  await menu("world", "Move to the top");
  await menu("core", "Move down");
  await expect.poll(() => steps(page)).toEqual(["world", "anchor", "core", "note", "history", "thinking"]);
  await template(page, "extra").getByRole("button", { name: "Add extra to the recipe" }).click();
  await expect.poll(() => steps(page).then((all) => all.at(-1))).toBe("extra");
});
