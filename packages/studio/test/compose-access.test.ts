import { expect, test } from "vitest";
import { heads, openPreset, step, steps } from "./compose-fixture.ts";
import { axeProblems, expectAccessible, isFocused, sidewaysScroll, useStudio } from "./use-studio.ts";

const studio = useStudio();

test("check 20: axe finds nothing where settings and dialogs are open", async () => {
  const { page } = await openPreset(studio);
  const expectRaw = async (name: string, close: string): Promise<void> => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByTestId("raw").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: close }).click();
  };
  await expectRaw("Raw", "Close");
  await page.getByRole("button", { name: "Settings of world" }).click();
  await page.locator(".cm-content").waitFor();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectRaw("原始内容", "关闭");
});

test("check 21: at 390×844 everything can be done without dragging and without scrolling sideways", async () => {
  const { page } = await openPreset(studio, { size: { width: 390, height: 844 }, query: "&pane=preview" });
  await expect.poll(() => sidewaysScroll(page)).toBe(0);
  await page.getByRole("tab", { name: "Template library" }).click();
  await page.getByRole("button", { name: "Add note to the recipe" }).click();
  await expect.poll(() => sidewaysScroll(page)).toBe(0);
  await page.getByRole("tab", { name: "Recipe workbench" }).click();
  await expect.poll(() => steps(page).then((all) => all.at(-1))).toBe("note");
  await step(page, "note").getByRole("button", { name: "Actions for note" }).click();
  await page.getByRole("menuitem", { name: "Move to the top" }).click();
  await expect.poll(() => steps(page).then((all) => all[0])).toBe("note");
  await page.getByRole("button", { name: "Settings of note" }).click();
  await expect.poll(() => sidewaysScroll(page)).toBe(0);
  await page.getByRole("tab", { name: "Live preview" }).click();
  await expect.poll(() => heads(page).then((all) => all[0])).toBe("note");
});

test("of more recipes than fit, the one that is shown is in sight", async () => {
  const names = ["for-small-models", "for-claude-models", "for-gemini-models", "for-all-others"];
  const contextRecipes = names.map((id) => ({ id, modelFilter: id === "for-all-others" ? ["*"] : [id], steps: [] }));
  const preset = { messageTemplates: [], contextRecipes };
  const { page } = await openPreset(studio, { preset, size: { width: 390, height: 844 }, query: "&pane=preview" });
  await page.getByRole("tab", { name: "Recipe workbench" }).click();
  const tab = page.getByRole("tab", { name: "for-all-others" });
  await expect.poll(() => tab.getAttribute("aria-selected")).toBe("true");
  const list = await page.getByRole("tablist", { name: "Recipes" }).boundingBox();
  const own = await tab.boundingBox();
  if (!list || !own) throw new Error("there are no tabs");
  expect(own.x + own.width).toBeLessThanOrEqual(list.x + list.width + 1);
});

test("the number of templates stands in one line beside the title of the library", async () => {
  const messageTemplates = Array.from({ length: 12 }, (_, index) => ({ id: `t${index}`, role: "system" as const }));
  const preset = { messageTemplates, contextRecipes: [{ id: "all", modelFilter: ["*"], steps: [] }] };
  const { page } = await openPreset(studio, { preset, size: { width: 1280, height: 800 } });
  const count = page.getByRole("region", { name: "Template library" }).getByText("12", { exact: true });
  expect((await count.boundingBox())?.height).toBeLessThan(25);
});

test("check 24: in Chinese a drag is announced in Chinese", async () => {
  const { page } = await openPreset(studio, { language: "zh" });
  await step(page, "world").focus();
  await page.keyboard.press("Tab");
  await expect.poll(() => isFocused(step(page, "world").getByRole("button", { name: "拖动 world" }))).toBe(true);
  await page.keyboard.press("Enter");
  const label = (): Promise<string | null | undefined> =>
    page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  await expect.poll(label).toMatch(/插入/);
  // The first places are those beside the step itself.
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByText("现在是第").count()).toBe(1);
});
