import type { Preset } from "@galley/engine";
import type { Locator, Page } from "playwright";
import { beforeAll, expect, test } from "vitest";
import { runTurns } from "./turn-session.ts";
import { axeProblems, expectAccessible, expectFitsPhone, settle, useStudio } from "./use-studio.ts";

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
  await expect.poll(() => isLinked(message(page, "careful assistant"))).toBe(false);
  await message(page, "careful assistant").hover();
  await expect.poll(() => isLinked(input(page, "system_core"))).toBe(true);
  await expect.poll(() => isLinked(input(page, "think"))).toBe(false);
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
  await expect.poll(() => card.innerText()).toMatch(/system\s+Depth: 0/s);
  await card.getByRole("button").first().click();
  await expect
    .poll(() => card.innerText())
    .toContain("Sent. Step “Think before answering.” of recipe any-recipe, at depth 0");
  await card.getByRole("button", { name: "Raw", exact: true }).click();
  await expect
    .poll(() => card.locator("pre").innerText())
    .toBe(JSON.stringify({ role: "system", content: "Think before answering." }, null, 2));
  await expect
    .poll(() => page.locator("dl").innerText())
    .toMatch(/of 300 \((?:exact, |estimated, |calibrated, |counted with )\S+\)/);
});

test("rule 2: what was not sent says why and what keeps it", async () => {
  const page = await studio.open(`${callPath(12)}?part=not-sent`);
  const list = page.getByRole("list", { name: "Not sent" });
  await expect.poll(() => list.innerText()).toContain("Step “Never sent.” of recipe any-recipe");
  await expect.poll(() => list.innerText()).toContain("Not sent, because it is switched off in the preset.");
  await expect.poll(() => list.innerText()).toContain("To keep it: switch it on in the preset.");
  await expect
    .poll(() => list.innerText())
    .toMatch(/earlier messages[^]*because a summary was sent instead[^]*raise the budget/);
});

test("the chart is worked by arrow keys and pointer, marks compactions, and is a table too", async () => {
  const page = await studio.open(callPath(12));
  const chart = page.getByRole("listbox", { name: "Tokens per call, by source" });
  await expect.poll(() => chart.getByRole("option").count()).toBe(12);
  await expect.poll(() => chart.locator("[data-compacted]").count()).toBeGreaterThan(0);
  await expect
    .poll(() => chart.getByRole("option").first().getAttribute("aria-label"))
    .toMatch(/^Call 1: [\d,]+ tokens \(System and templates/);
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
  await page.getByTitle("s", { exact: true }).click();
  await expect.poll(() => page.url()).toContain("/calls/12");
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await expect.poll(() => page.getByRole("table", { name: "Sessions" }).count()).toBe(1);
});

test("check 38: sessions are listed by their titles, searched by title and id, and filtered by kind", async () => {
  const input = "Which harbour has kerosene?";
  await studio.daemon.ask("runs.start", { body: { chat: "named", model: "demo", input } });
  const page = await studio.open("/sessions");
  const names = (): Promise<readonly string[]> => page.getByRole("rowheader").getByRole("link").allInnerTexts();
  await page.getByRole("searchbox", { name: "Search sessions" }).click();
  await page.keyboard.type("kerosene");
  await expect.poll(names).toEqual([input]);
  await page.getByRole("rowheader").getByTitle("chat:named").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Show|Show$/ }).click();
  await page.getByRole("option", { name: "Sessions and logs" }).click();
  await expect.poll(names).not.toContain(input);
  await page.goto(`${studio.daemon.url}/sessions/chat%3Anamed/calls/1`);
  await expect.poll(() => page.getByTitle("chat:named").first().innerText()).toBe(input);
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
  await expect.poll(() => nodes()).toBeLessThan(2000);
  await input(page, "think").click();
  await message(page, "Think before answering.").waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-message-button")))
    .toBe("3003");
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("user");
  await message(page, "The last question").waitFor();
  await expect.poll(() => nodes()).toBeLessThan(2000);
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

test("[T3] the settings of a chat are set in a plain form, errors stand at their fields, and Inspect says where each came from", async () => {
  const page = await studio.open("/chats/settings", { expects: ["refused setting"] });
  const drawer = page.getByRole("region", { name: "Contexts" });
  await drawer.locator("summary", { hasText: "Settings (0 set)" }).click();
  const line = (name: string): Locator => drawer.getByRole("button", { name });
  const field = (name: string): Locator => drawer.getByRole("textbox", { name });
  const save = drawer.getByRole("button", { name: "Save" });
  await expect.poll(() => line("Target of a cut").innerText()).toMatch(/50%\s+built-in default/);
  const described = async (name: string): Promise<string> => {
    const ids = (await field(name).getAttribute("aria-describedby")) ?? "";
    return (await Promise.all(ids.split(" ").map((id) => page.locator(`[id="${id}"]`).innerText()))).join(" ");
  };
  await line("Most tokens that are sent").click();
  await field("Most tokens that are sent").pressSequentially("many");
  await save.click();
  await expect.poll(() => described("Most tokens that are sent")).toMatch(/expected/i);
  expect(await axeProblems(page)).toEqual([]);
  const set = async (name: string, value: string): Promise<void> => {
    await line(name).click();
    await field(name).fill("");
    await field(name).pressSequentially(value);
    await save.click();
    await expect.poll(() => field(name).count()).toBe(0);
    await expect.poll(() => line(name).innerText()).toContain("the chat");
  };
  await field("Most tokens that are sent").fill("12k");
  await save.click();
  await expect.poll(() => line("Most tokens that are sent").innerText()).toMatch(/12,000\s+the chat/);
  await set("Target of a cut", "0.7");
  await set("System prompt", "You are a harbour master.");
  await set("Hints", "tide = high");
  await line("Language of labels").click();
  await drawer.getByRole("button", { name: "Not set here Language of labels" }).click();
  await page.getByRole("option", { name: "中文" }).click();
  await save.click();
  await expect.poll(() => line("Language of labels").innerText()).toMatch(/中文\s+the chat/);
  const { context } = await studio.daemon.ask("chats.get", { params: { key: "settings" } });
  expect(context).toEqual({
    targetRatio: 0.7,
    maxInputTokens: 12_000,
    systemPrompt: "You are a harbour master.",
    hints: { tide: "high" },
    language: "zh",
  });
  const body = { chat: "settings", model: "demo", input: "Which ship comes first?" };
  await studio.daemon.ask("runs.start", { body });
  const inspect = await studio.open("/sessions/chat%3Asettings/calls/1?part=settings");
  const row = (name: string): Locator => inspect.getByRole("row", { name });
  await expect.poll(() => row("Target of a cut").innerText()).toMatch(/70%\s+the chat/);
  await expect.poll(() => row("Hints").innerText()).toMatch(/tide = high\s+tide: the chat/);
  await expect.poll(() => row("Compaction").innerText()).toMatch(/an extract of what leaves\s+built-in default/);
  await expect
    .poll(() => inspect.getByRole("navigation", { name: "Sessions" }).innerText())
    .toContain("call 1 of turn 1");
  await expect.poll(() => inspect.locator("dl").first().innerText()).toContain("of 12,000");
});

test("[R2] what left the window is recalled in Inspect, by words and by the handle that they lead to", async () => {
  const page = await studio.open(`${callPath(12)}?part=not-sent`);
  const field = page.getByLabel("Recall what left the window");
  await field.fill("Question 1:");
  await page.getByRole("button", { name: "Recall", exact: true }).click();
  await page.getByText("§1 user: Question 1:").waitFor();
  await field.fill("§1");
  await field.press("Enter");
  await page.getByText("§1 user:\nQuestion 1: 煤油税怎么计算？").waitFor();
  await expectAccessible(page);
});

test("check 46: a call shows its reply with latency, is named by its question, and its earlier messages are searched", async () => {
  const page = await studio.open(callPath(2));
  const reply = page.getByRole("region", { name: "Reply" });
  await expect.poll(() => reply.innerText()).toContain("Answer to: Question 2: 煤油税怎么计算？");
  await expect
    .poll(() => page.getByRole("navigation", { name: "Sessions" }).innerText())
    .toMatch(/call 1 of turn 2[^]*Question 2/);
  await page.getByRole("button", { name: "Copy the id: s" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("s");
  // What a summary stands for is a list, each with its reason.
  await page.goto(`${studio.daemon.url}${callPath(12)}?part=not-sent`);
  await page.getByRole("button", { name: /Show the \d+ earlier messages/ }).click();
  const earlier = page.getByRole("region", { name: "Earlier messages" });
  await page.getByRole("searchbox", { name: "Search the earlier messages" }).pressSequentially("question 1:");
  await expect.poll(() => earlier.getByRole("listitem").first().innerText()).toMatch(/user\s*Question 1:[^]*because/);
  expect(await axeProblems(page)).toEqual([]);
  // Another system prompt breaks what a provider had cached.
  const chat = { params: { key: "broken" } };
  const say = { chat: "broken", model: "demo" };
  await studio.daemon.ask("runs.start", { body: { ...say, input: "Who are you?" } });
  await studio.daemon.ask("chats.settings", { ...chat, body: { context: { systemPrompt: "You are a pirate." } } });
  await page.goto(`${studio.daemon.url}/sessions/chat%3Abroken/calls/1?follow=1`);
  await expect.poll(() => reply.innerText()).toMatch(/tokens out · [\d.,]+ m?s[^]*You said: “Who are you\?”/);
  await expect.poll(() => page.getByRole("option", { name: /^Call 1:/ }).count()).toBe(1);
  // A page that follows goes on to the next call.
  await studio.daemon.ask("runs.start", { body: { ...say, input: "And now?" } });
  await expect.poll(() => page.url()).toContain("/calls/2");
  await expect.poll(() => page.locator("dl").first().innerText()).toContain("broken at message 1 (The system prompt)");
  await expectAccessible(page);
});
