import type { Preset } from "@galley/engine";
import type { Locator, Page } from "playwright";
import { beforeAll, expect, test } from "vitest";
import { runTurns } from "./turn-session.ts";
import { expectAccessible, expectFitsPhone, settle, useStudio } from "./use-studio.ts";

const studio = useStudio();
let digests: readonly string[];

const preset: Preset = {
  version: 1,
  name: "For Inspect",
  messageTemplates: [
    { id: "system_core", role: "system", content: "You are a careful assistant." },
    { id: "world_anchor", type: "placeholder", role: "system" },
    { id: "world_info", role: "system", content: "世界观：飞艇的煤油税由议会征收。" },
    { id: "chat_history", type: "chat_history", role: "user" },
    { id: "think", role: "system", content: "Think before answering." },
    { id: "unused", role: "system", content: "Never sent." },
  ],
  contextRecipes: [
    {
      id: "any-recipe",
      modelFilter: ["*"],
      steps: [
        { messageId: "system_core", enabled: true },
        { messageId: "world_anchor", enabled: true },
        { messageId: "chat_history", enabled: true },
        { messageId: "world_info", enabled: true, injectionStrategy: { anchorTarget: "world_anchor" } },
        { messageId: "think", enabled: true, injectionStrategy: { depth: 0 } },
        { messageId: "unused", enabled: false },
      ],
    },
  ],
};

beforeAll(async () => {
  await studio.daemon.ask("presets.save", { params: { id: "inspected" }, body: { preset, expectedVersion: 0 } });
  const inputs = Array.from({ length: 12 }, (_, index) => `Question ${index + 1}: 煤油税怎么计算？`);
  const session = { session: "s", preset: "inspected", model: "demo", budget: 300 };
  digests = await runTurns(studio.daemon, session, inputs);
});

const callPath = (n: number): string => `/sessions/s/calls/${n}`;
const input = (page: Page, id: string): Locator => page.locator(`[data-input="${id}"]`);
const message = (page: Page, text: string): Locator => page.locator("article[data-position]", { hasText: text });
const isLinked = (locator: Locator): Promise<boolean> =>
  locator.getAttribute("data-linked").then((value) => value !== null);

test("check 14, in Inspect: pointer and focus tie an input to its message, both ways", async () => {
  const page = await studio.open(callPath(2));
  await message(page, "Think before answering.").waitFor();
  await input(page, "think").hover();
  await expect.poll(() => isLinked(message(page, "Think before answering."))).toBe(true);
  expect(await isLinked(message(page, "careful assistant"))).toBe(false);
  await message(page, "careful assistant").hover();
  await expect.poll(() => isLinked(input(page, "system_core"))).toBe(true);
  expect(await isLinked(input(page, "think"))).toBe(false);
  await page.mouse.move(0, 0);
  await input(page, "world_info").focus();
  await expect.poll(() => isLinked(message(page, "世界观"))).toBe(true);
  await page.keyboard.press("Enter");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-message-button")))
    .toBe(await message(page, "世界观").getAttribute("data-position"));
  await expect.poll(() => isLinked(input(page, "world_info"))).toBe(true);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => isLinked(input(page, "system_core"))).toBe(true);
});

test("a message says where it comes from, what it costs and, raw, what was sent", async () => {
  const page = await studio.open(callPath(1));
  const card = message(page, "Think before answering.");
  await expect.poll(() => card.innerText()).toMatch(/system.*think.*Depth: 0/s);
  await card.getByRole("button").first().click();
  await expect.poll(() => card.innerText()).toContain("Sent. Step think of recipe any-recipe, at depth 0");
  await card.getByRole("button", { name: "Raw", exact: true }).click();
  await expect
    .poll(() => card.locator("pre").innerText())
    .toBe(JSON.stringify({ role: "system", content: "Think before answering." }, null, 2));
  await expect.poll(() => page.locator("dl").innerText()).toMatch(/of 300 \((exact|estimated|calibrated), \S+\)/);
});

test("rule 2: what was not sent says why and what keeps it", async () => {
  const page = await studio.open(`${callPath(12)}?part=not-sent`);
  const list = page.getByRole("list", { name: "Not sent" });
  await expect.poll(() => list.innerText()).toContain("Step unused of recipe any-recipe");
  expect(await list.innerText()).toContain("Not sent, because it is switched off in the preset.");
  expect(await list.innerText()).toContain("To keep it: switch it on in the preset.");
  expect(await list.innerText()).toMatch(/earlier messages[^]*because a summary was sent instead[^]*raise the budget/);
});

test("the chart is worked by arrow keys and pointer, marks compactions, and is a table too", async () => {
  const page = await studio.open(callPath(12));
  const chart = page.getByRole("listbox", { name: "Tokens per call, by source" });
  await expect.poll(() => chart.getByRole("option").count()).toBe(12);
  expect(await chart.locator("[data-compacted]").count()).toBeGreaterThan(0);
  expect(await chart.getByRole("option").first().getAttribute("aria-label")).toMatch(
    /^Call 1: [\d,]+ tokens \(Templates/,
  );
  await chart.focus();
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => page.url()).toContain("/calls/11");
  await page.keyboard.press("Home");
  await expect.poll(() => page.url()).toContain("/calls/1");
  await expect.poll(() => page.locator("dl [data-digest]").getAttribute("data-digest")).toBe(digests[0]);
  await chart.getByRole("option", { name: /^Call 5:/ }).click();
  await expect.poll(() => page.locator("dl [data-digest]").getAttribute("data-digest")).toBe(digests[4]);
  await page.getByRole("button", { name: "Show as table" }).click();
  await expect.poll(() => page.getByRole("row").count()).toBe(13);
  await page.getByRole("link", { name: "Call 3", exact: true }).click();
  await expect.poll(() => page.url()).toContain("/calls/3");
});

test("a call leads to Compose with its preset, to the call before in Compare, and its digest can be copied", async () => {
  const page = await studio.open(callPath(4));
  const compose = page.getByRole("link", { name: "Open in Compose" });
  await expect
    .poll(() => compose.getAttribute("href"))
    .toBe("/compose/inspected?source=session%3As&model=demo&budget=300");
  await page.getByRole("button", { name: "Copy the digest" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(digests[3]);
  await page.getByRole("link", { name: "Compare with the call before" }).click();
  await expect.poll(() => page.url()).toContain("/compare?left=s%233&right=s%234");
  await expect.poll(() => page.locator("[data-compare-counts]").innerText()).toContain("2 only right");
});

test("the list leads to the newest call of a session", async () => {
  const page = await studio.open("/sessions");
  await page.getByRole("link", { name: "s", exact: true }).click();
  await expect.poll(() => page.url()).toContain("/calls/12");
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await expect.poll(() => page.getByRole("table", { name: "Sessions" }).count()).toBe(1);
});

test("a session or call that does not exist says so", async () => {
  const page = await studio.open("/sessions/s/calls/999", { expects: ["not found"] });
  await expect.poll(() => page.getByRole("alert").count()).toBe(1);
});

test("3,000 messages: all of them can be reached, few of them stand in the page", async () => {
  const history = Array.from({ length: 3000 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `say ${index}`,
  }));
  const session = { session: "long", preset: "inspected", model: "demo", history };
  await runTurns(studio.daemon, session, ["The last question"]);
  const page = await studio.open("/sessions/long/calls/1");
  await expect.poll(() => page.getByRole("tab", { name: "Messages (3,004)" }).count()).toBe(1);
  await message(page, "say 1").first().waitFor();
  const nodes = (): Promise<number> => page.evaluate(() => document.querySelectorAll("*").length);
  expect(await nodes()).toBeLessThan(2000);
  await input(page, "think").click();
  await message(page, "Think before answering.").waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-message-button")))
    .toBe("3003");
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("user");
  await message(page, "The last question").waitFor();
  expect(await nodes()).toBeLessThan(2000);
});

test("checks 20, 21: no fault for axe in theme × language, no sideways scroll at 390 px", async () => {
  const page = await studio.open(callPath(12));
  await settle(page);
  await message(page, "careful assistant").waitFor();
  for (const part of ["Not sent", "Tools", "Raw", "Messages"]) {
    await page.getByRole("tab", { name: part }).click();
    await page.getByRole("tab", { name: part, selected: true }).waitFor();
    await expectFitsPhone(page);
  }
  await expectAccessible(page);
});
