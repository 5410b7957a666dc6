import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelMessage, type Preset, tokenAccount, tokenizerForModel } from "@galley/engine";
import type { Locator, Page } from "playwright";
import { beforeAll, expect, test } from "vitest";
import { runTurns } from "./turn-session.ts";
import { expectAccessible, expectFitsPhone, useStudio } from "./use-studio.ts";

const studio = useStudio();

const system = { role: "system", content: "You are a careful assistant." } as const;
const tax = { role: "system", content: "世界观：飞艇的煤油税由议会征收。" } as const;
const otherTax = { role: "system", content: "世界观：飞艇的煤油税由公会征收。" } as const;
const note = { role: "system", content: "Stay in character." } as const;
const asked = { role: "user", content: "Question 1" } as const;
const answered = { role: "assistant", content: "Answer 1" } as const;
const askedAgain = { role: "user", content: "Question 2" } as const;

const left = [system, tax, note, asked, answered, askedAgain];
/** One changed (Chinese), one dropped, one moved. */
const right = [system, otherTax, answered, askedAgain, note];

const file = (name: string, messages: readonly ModelMessage[]): { name: string; mimeType: string; buffer: Buffer } => ({
  name,
  mimeType: "application/json",
  buffer: Buffer.from(JSON.stringify({ messages })),
});

async function choose(page: Page, side: "Left" | "Right", chosen: ReturnType<typeof file>): Promise<void> {
  const picker = page.getByRole("region", { name: side });
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    picker.getByRole("button", { name: "Choose a file" }).click(),
  ]);
  await chooser.setFiles(chosen);
}

const differences = (page: Page): Locator => page.locator("[data-difference]");
const kinds = (page: Page): Promise<(string | null)[]> =>
  differences(page).evaluateAll((all) => all.map((one) => one.getAttribute("data-difference")));

test("check 17: one moved, one changed (Chinese) and one dropped message are exactly what is shown", async () => {
  const page = await studio.open("/compare");
  await choose(page, "Left", file("left.json", left));
  await choose(page, "Right", file("right.json", right));
  await expect.poll(() => kinds(page)).toEqual(["changed", "onlyLeft", "moved"]);
  const [changed, onlyLeft, moved] = [differences(page).nth(0), differences(page).nth(1), differences(page).nth(2)];
  await expect.poll(() => changed.locator("del").allInnerTexts()).toEqual(["议会"]);
  await expect.poll(() => changed.locator("ins").allInnerTexts()).toEqual(["公会"]);
  await expect.poll(() => onlyLeft.innerText()).toContain("Question 1");
  await expect.poll(() => moved.innerText()).toMatch(/from place 3 to place 5[^]*Stay in character/);
  await expect
    .poll(() => page.locator("[data-compare-counts]").innerText())
    .toMatch(/3 same[^]*1 moved[^]*1 changed[^]*1 only left[^]*0 only right/);
  const cost = page.locator("[data-compare-cost]");
  const account = tokenAccount(await tokenizerForModel(undefined));
  const tokens = (...all: ModelMessage[]): number => all.reduce((sum, one) => sum + account.countMessage(one), 0);
  // The first message stays cached; the three that are known behind it are read again; one text is new.
  await expect
    .poll(() => cost.getAttribute("data-compare-cost"))
    .toBe([tokens(system), tokens(answered, askedAgain, note), tokens(otherTax)].join(" "));
  await expect.poll(() => cost.locator("..").innerText()).toContain("First difference: message 2.");
});

test("the keys n and p go from difference to difference; equal messages unfold", async () => {
  const page = await studio.open("/compare");
  await choose(page, "Left", file("left.json", left));
  await choose(page, "Right", file("right.json", right));
  await expect.poll(() => differences(page).count()).toBe(3);
  await page.locator("#page-heading").focus();
  const current = page.locator("[data-current-difference]");
  await page.keyboard.press("n");
  await expect.poll(() => current.getAttribute("data-difference")).toBe("changed");
  await page.keyboard.press("n");
  await expect.poll(() => current.getAttribute("data-difference")).toBe("onlyLeft");
  await expect.poll(() => page.getByText("2 of 3 differences").count()).toBe(1);
  await page.keyboard.press("p");
  await expect.poll(() => current.getAttribute("data-difference")).toBe("changed");
  await page.getByRole("button", { name: "2 messages (3–4) are the same" }).click();
  await expect.poll(() => page.getByRole("list", { name: "Differences" }).innerText()).toContain("Answer 1");
});

test("a build file can be dropped", async () => {
  const page = await studio.open("/compare");
  await choose(page, "Right", file("right.json", right));
  const path = join(studio.daemon.data, "dropped.json");
  await writeFile(path, JSON.stringify(left));
  const area = await page.getByRole("region", { name: "Left" }).boundingBox();
  const place = { x: (area?.x ?? 0) + 20, y: (area?.y ?? 0) + 20 };
  const browser = await page.context().newCDPSession(page);
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    await browser.send("Input.dispatchDragEvent", { type, ...place, data });
  }
  await expect.poll(() => kinds(page)).toEqual(["changed", "onlyLeft", "moved"]);
});

test("a file that is not a build is refused with a reason, and nothing else is lost", async () => {
  const page = await studio.open("/compare");
  await choose(page, "Left", file("left.json", left));
  await choose(page, "Right", { name: "notes.json", mimeType: "application/json", buffer: Buffer.from('{"a":1}') });
  const alert = page.getByRole("alert");
  await expect.poll(() => alert.innerText()).toContain("notes.json is not a build. The file has no list of messages.");
  await expect.poll(() => alert.innerText()).toContain("galley build --json");
  await choose(page, "Right", file("same.json", left));
  await expect.poll(() => page.getByText("Both builds are the same, byte for byte.").count()).toBe(1);
  await expect.poll(() => alert.count()).toBe(0);
});

const preset = (depth: number): Preset => ({
  version: 1,
  presetMessages: [
    { id: "core", role: "system", content: "You are a careful assistant." },
    { id: "chat_history", type: "chat_history", role: "user" },
    { id: "note", role: "system", content: "Stay in character.", injectionStrategy: { depth } },
  ],
});

beforeAll(async () => {
  await runTurns(studio.daemon, { session: "c", preset: preset(0), model: "demo" }, ["one", "two"]);
  await runTurns(studio.daemon, { session: "c", preset: preset(3), model: "demo" }, ["three"]);
});

test("[88] two recorded calls by URL, by the names of session and question, the other way round by one press", async () => {
  // What the newest call changed is one press away.
  const page = await studio.open("/compare");
  await page.getByRole("link", { name: "The last two calls of “one”" }).click();
  await page.waitForURL(/left=c%232&right=c%233/);
  await expect.poll(() => page.getByRole("region", { name: "Left" }).innerText()).toMatch(/one.*Call 2.*two/s);
  expect(await page.locator("main").innerText()).not.toMatch(/m_[0-9a-f]{4}/);
  await expect.poll(() => kinds(page)).toContain("moved");
  await expect.poll(() => page.locator("[data-compare-counts]").innerText()).toContain("2 only right");
  await page.getByRole("button", { name: "Swap sides" }).click();
  await expect.poll(() => page.url()).toContain("left=c%233&right=c%232");
  await expect.poll(() => page.locator("[data-compare-counts]").innerText()).toContain("2 only left");
  await page.getByRole("button", { name: /Right: Call/ }).click();
  await page.getByRole("option", { name: /Call 3/ }).click();
  await expect.poll(() => page.getByText("Both builds are the same, byte for byte.").count()).toBe(1);
});

test("checks 20, 21: no fault for axe in theme × language, no sideways scroll at 390 px", async () => {
  const page = await studio.open("/compare?left=c%232&right=c%233");
  await differences(page).first().waitFor();
  await expectFitsPhone(page);
  await expectAccessible(page);
});
