import type { Locator, Page } from "playwright";
import { expect, test } from "vitest";
import { step } from "./compose-fixture.ts";
import { axeProblems, sidewaysScroll, useStudio } from "./use-studio.ts";

const studio = useStudio();
const narrow = { width: 390, height: 844 };
const label = /^(A first look at Studio|初识 Studio)$/u;
const tourOf = (page: Page): Locator => page.getByRole("dialog", { name: label });

interface Words {
  readonly next: string;
  readonly depth: string;
  readonly message: string;
  readonly inspect: RegExp;
  readonly more: string;
  readonly load: string;
}

const english: Words = {
  next: "Next",
  depth: "Depth",
  message: "Message",
  inspect: /^Inspect call/,
  more: "More: Kerosene tax",
  load: "Load whole",
};
const chinese: Words = {
  next: "下一步",
  depth: "深度",
  message: "消息",
  inspect: /^检视第/,
  more: "更多: 煤油税",
  load: "载入全部",
};

async function done(tour: Locator, deed: string): Promise<void> {
  await tour.locator(`[data-deed="${deed}"][data-done]`).waitFor();
}

/** Does the four things as the card asks for them. */
async function walk(page: Page, words: Words): Promise<void> {
  const tour = tourOf(page);
  const show = (): Locator => tour.getByRole("button").last();
  await tour.waitFor();
  expect(await axeProblems(page)).toEqual([]);
  await show().click();
  // The preview is that of the demo's own chat.
  await page.locator('[data-entries="4"]').first().waitFor({ state: "attached" });
  await step(page, "note").locator("[aria-expanded]").first().click();
  const depth = page.getByRole("textbox", { name: words.depth, exact: true });
  await depth.fill("3");
  await depth.press("Enter");
  await done(tour, "depth");
  await tour.getByRole("button", { name: words.next }).click();
  const box = page.getByRole("textbox", { name: words.message, exact: true });
  await box.pressSequentially("420");
  await box.press("Enter");
  await done(tour, "send");
  await tour.getByRole("button", { name: words.next }).click();
  await page.getByRole("link", { name: words.inspect }).last().click();
  await done(tour, "why");
  await tour.getByRole("button", { name: words.next }).click();
  await page.getByRole("button", { name: words.more }).click();
  await page.getByRole("menuitem", { name: words.load }).click();
  await done(tour, "back");
  expect(await axeProblems(page)).toEqual([]);
  await tour.getByRole("button").last().click();
  await tour.waitFor({ state: "detached" });
}

test("check 81: in the tour one changes a depth, sends, sees why and gets back what was put away; it comes once", async () => {
  const page = await studio.open("/", { isFirstVisit: true });
  await walk(page, english);
  await page.getByText("Why is the kerosene tax so high?").first().waitFor();
  await page.goto(studio.daemon.url);
  await page.locator("h1").waitFor();
  await expect.poll(() => tourOf(page).count()).toBe(0);
});

test("check 82: the same in Chinese, with a demo that is Chinese throughout", async () => {
  const page = await studio.open("/", { isFirstVisit: true, language: "zh" });
  await walk(page, chinese);
  await expect.poll(() => new URL(page.url()).pathname).toBe("/chats/demo-zh");
  await page.getByText("煤油税为什么这么高？").first().waitFor();
});

test("check 82: the cards on Home open the demo itself", async () => {
  const page = await studio.open("/");
  await page.getByRole("button", { name: "Open the demo chat" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/chats/demo");
  await page.goto(studio.daemon.url);
  await page.getByRole("button", { name: "Open the demo preset" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/compose/airship");
  await page.goto(studio.daemon.url);
  const guide = page.getByRole("link", { name: "Read the guide" });
  expect(await guide.getAttribute("href")).toMatch(/docs\/guide\.md$/u);
});

test("the tour is skipped with Escape, on a narrow window too, and can be asked for again", async () => {
  const page = await studio.open("/", { isFirstVisit: true, size: narrow });
  const tour = tourOf(page);
  await tour.waitFor();
  await expect.poll(() => sidewaysScroll(page)).toBe(0);
  expect(await axeProblems(page)).toEqual([]);
  await tour.focus();
  await page.keyboard.press("Escape");
  await tour.waitFor({ state: "detached" });
  await page.goto(`${studio.daemon.url}/settings`);
  await page.getByRole("button", { name: "Show the tour again" }).click();
  await tour.waitFor();
});
