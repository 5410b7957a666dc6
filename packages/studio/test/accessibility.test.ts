import type { Page } from "playwright";
import { beforeAll, describe, expect, test } from "vitest";
import { everyView } from "./every-view.ts";
import { type Seeded, seedStudio } from "./seed-studio.ts";
import { axeProblems, settle, sidewaysScroll, useStudio } from "./use-studio.ts";

const studio = useStudio();
let seeded: Seeded;
beforeAll(async () => {
  seeded = await seedStudio(studio.daemon);
});

const views = Object.keys(everyView({ preset: "", simplePreset: "", chat: "", session: "" }));
const pathOf = (view: string): string => everyView(seeded)[view] ?? "";

const background = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.body).backgroundColor);

describe.each(["en", "zh"] as const)("check 20, %s", (language) => {
  test.each(views)("axe finds nothing on %s, neither light nor dark", async (view) => {
    const page = await studio.open(pathOf(view), { language });
    await settle(page);
    expect(await axeProblems(page)).toEqual([]);
    const light = await background(page);
    // The page follows the system while it is open.
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(() => background(page)).not.toBe(light);
    // Colours that are inherited follow a moment later, where everything has a transition, however short.
    await expect.poll(() => axeProblems(page)).toEqual([]);
  });
});

test.each(views)("check 21: %s fits into 390×844 without sideways scrolling", async (view) => {
  const page = await studio.open(pathOf(view), { size: { width: 390, height: 844 } });
  await settle(page);
  expect(await sidewaysScroll(page)).toBe(0);
  expect(await axeProblems(page)).toEqual([]);
});

test("axe is really run: a page with a fault has it found", async () => {
  const page = await studio.open("/");
  await page.evaluate(() => document.body.append(document.createElement("img"), document.createElement("button")));
  expect((await axeProblems(page)).join()).toMatch(/image-alt.*button-name|button-name.*image-alt/s);
});
