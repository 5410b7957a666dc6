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

// One load for each language: a page follows the system's colours and the size of its window while it is open.
describe.each(["en", "zh"] as const)("checks 20 and 21, %s", (language) => {
  test.each(views)(
    "axe finds nothing on %s, light, dark and (in English) small, where it only scrolls down",
    async (view) => {
      const page = await studio.open(pathOf(view), { language });
      await settle(page);
      expect(await axeProblems(page)).toEqual([]);
      const light = await background(page);
      await page.emulateMedia({ colorScheme: "dark" });
      await expect.poll(() => background(page)).not.toBe(light);
      // Only colours have changed. Those that are inherited follow a moment later, where everything has a transition.
      await expect.poll(() => axeProblems(page, ["color-contrast", "link-in-text-block"])).toEqual([]);
      if (language !== "en") return;
      await page.setViewportSize({ width: 390, height: 844 });
      await expect.poll(() => sidewaysScroll(page)).toBe(0);
      await settle(page);
      expect(await axeProblems(page)).toEqual([]);
    },
  );
});

test("axe is really run: a page with a fault has it found", async () => {
  const page = await studio.open("/");
  await page.evaluate(() => document.body.append(document.createElement("img"), document.createElement("button")));
  expect((await axeProblems(page)).join()).toMatch(/image-alt.*button-name|button-name.*image-alt/s);
});
