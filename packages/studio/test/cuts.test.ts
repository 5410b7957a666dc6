import type { Page } from "playwright";
import { beforeAll, expect, test } from "vitest";
import { expectAccessible, settle, useStudio } from "./use-studio.ts";

const studio = useStudio();
const key = "long";
const filler = "nothing to be said about it but this ".repeat(20);

beforeAll(async () => {
  const role = (at: number): "user" | "assistant" => (at % 2 === 0 ? "user" : "assistant");
  const messages = Array.from({ length: 30 }, (_, at) => ({ role: role(at), content: `${at} ${filler}` }));
  await studio.daemon.ask("chats.add", { params: { key }, body: { messages } });
  const limits = { params: { key }, body: { context: { maxInputTokens: 3000 } } };
  await studio.daemon.ask("chats.settings", limits);
  await studio.daemon.ask("runs.start", { body: { chat: key, model: "demo", input: "Go on." } });
  await studio.daemon.ask("chats.settings", { params: { key }, body: { unset: ["maxInputTokens"] } });
});

const historyOf = async (): Promise<number> =>
  (await studio.daemon.ask("turns.fill", { body: { chat: key } })).fill?.stats.messageCount ?? 0;

async function openCut(page: Page): Promise<void> {
  await page.locator("[data-last-cut] summary").click();
  await page.getByRole("button", { name: "Undo the cut" }).waitFor();
}

test("check 46: what a cut of a chat took out is a list, all of it, searched, each with its place and reason", async () => {
  const page = await studio.open(`/sessions/chat%3A${key}/calls/1?part=not-sent`);
  const show = page.getByRole("button", { name: /Show the \d+ earlier messages/ });
  const count = /\d+/u.exec(await show.innerText())?.[0];
  await show.click();
  const list = page.getByRole("region", { name: "Earlier messages" });
  await expect.poll(() => list.getByRole("status").innerText()).toBe(`${count} of ${count}`);
  await page.getByRole("searchbox", { name: "Search the earlier messages" }).pressSequentially("3 nothing");
  await expect.poll(() => list.getByRole("listitem").first().innerText()).toMatch(/4 assistant\s*3 nothing[^]*because/);
});

test("check 80: [F15] the drawer says what the last cut took out, and undoes it: the next call has everything again", async () => {
  const before = await historyOf();
  expect(before).toBeLessThan(30);
  const page = await studio.open(`/chats/${key}`);
  await openCut(page);
  await settle(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Switch to English" }).click();
  await page.getByRole("button", { name: "Undo the cut" }).click();
  await page.getByText("The cut is undone: what had left is sent again.").waitFor();
  await expect.poll(() => page.locator("[data-last-cut]").count()).toBe(0);
  await expect.poll(historyOf).toBeGreaterThanOrEqual(32);
  await expect.poll(() => page.locator("[data-active-count]").innerText()).not.toContain("compact");
});
