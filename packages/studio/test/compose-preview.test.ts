import { readFile } from "node:fs/promises";
import type { Preset } from "@galley/engine";
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { fixturePreset, flip, heads, messages, openPreset, step } from "./compose-fixture.ts";
import { useStudio } from "./use-studio.ts";

const studio = useStudio();

const figure = async (page: Page, name: string): Promise<number> =>
  Number(await page.getByTestId(name).getAttribute("data-tokens"));

async function digestOf(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Raw" }).click();
  const digest = await page.getByTestId("digest").innerText();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  return digest;
}

test("check 12: with a smaller budget the oldest leave first and the newest stays, never more than the budget", async () => {
  // High enough for all messages to be in sight: only those are in the page.
  const { page } = await openPreset(studio, { messages: 10, words: 30, size: { width: 1440, height: 1800 } });
  const slider = page.getByRole("slider", { name: "Token budget" });
  await slider.focus();
  const left: number[] = [];
  let last = 11;
  for (let presses = 0; presses < 300 && (await page.getByRole("alert").count()) === 0; presses += 1) {
    await page.keyboard.press("PageDown");
    const shown = await heads(page);
    const kept = shown.filter((head) => /^m\d/.test(head));
    if (kept.length === 0 || (await page.getByRole("alert").count()) > 0) break;
    expect(kept.at(-1)).toBe("m10");
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => `m${11 - kept.length + index}`));
    const budget = Number(((await page.getByTestId("used").innerText()).split("/")[1] ?? "").replaceAll(/\D/g, ""));
    await expect.poll(() => figure(page, "used")).toBeLessThanOrEqual(budget);
    if (kept.length < last) left.push(kept.length);
    last = kept.length;
    if (Number(await slider.inputValue()) <= Number(await slider.getAttribute("min"))) break;
  }
  expect(left.length).toBeGreaterThan(1);
  const alert = page.getByRole("alert");
  await alert.waitFor();
  expect(Number(await alert.locator("[data-excess]").getAttribute("data-excess"))).toBeGreaterThan(0);
  const notSent = await page.getByRole("region", { name: "Not sent" }).first().innerText();
  expect(notSent).toContain("budget");
});

test("checks 16, 33: an injection at depth 3 instead of 0 takes the last three messages out of the stable prefix; an edit without cost says nothing", async () => {
  const { page } = await openPreset(studio, { messages: 4, words: 20 });
  const at0 = await figure(page, "cached-prefix");
  const costs = await page
    .locator("[data-message]")
    .evaluateAll((items) =>
      items
        .filter((item) => /^m[234] /.test(item.querySelector("p")?.textContent ?? ""))
        .map((item) => Number(item.querySelector("[title$=tokens]")?.textContent)),
    );
  expect(costs).toHaveLength(3);
  const expected = costs.reduce((sum, cost) => sum + cost, 0);
  await step(page, "thinking").getByRole("button", { name: "Settings of thinking" }).click();
  const order = page.getByRole("textbox", { name: "Order" });
  await order.fill("50");
  await order.press("Enter");
  await page.getByRole("button", { name: "Undo: set order" }).waitFor();
  await expect.poll(() => page.getByTestId("edit-cost").count()).toBe(0);
  const field = page.getByRole("textbox", { name: "Depth" });
  await field.fill("3");
  await field.press("Enter");
  await expect.poll(() => figure(page, "cached-prefix")).toBe(at0 - expected);
  const cost = page.getByTestId("edit-cost");
  await expect.poll(() => cost.getAttribute("data-lost")).toBe(String(expected));
  await expect.poll(() => cost.innerText()).toBe(`set depth: costs ${expected} cached tokens`);
  await page.getByRole("button", { name: "Undo: set depth" }).click();
  await expect.poll(() => figure(page, "cached-prefix")).toBe(at0);
});

test("check 19: session tokens and keys are masked in preview, raw, copy and export until they are asked for", async () => {
  const token = "0123456789abcdef".repeat(4);
  const key = "sk-proj-abcdefghijklmnop1234";
  const preset: Preset = {
    ...fixturePreset,
    messageTemplates:
      fixturePreset.messageTemplates?.map((item) =>
        item.id === "core" ? { ...item, content: `core Bearer ${token} and ${key}` } : item,
      ) ?? [],
  };
  const { page } = await openPreset(studio, { preset });
  expect((await messages(page))[0]).toBe("core Bearer ‹secret:token› and ‹secret:key›");
  await page.getByRole("button", { name: "Raw" }).click();
  const raw = page.getByTestId("raw");
  const isMasked = (text: string): boolean => !text.includes(token) && !text.includes(key) && text.includes("‹secret:");
  expect(isMasked(await raw.innerText())).toBe(true);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied.").waitFor();
  expect(isMasked(await page.evaluate(() => navigator.clipboard.readText()))).toBe(true);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("dialog").getByRole("button", { name: "Export" }).click(),
  ]);
  expect(isMasked(await readFile(await download.path(), "utf8"))).toBe(true);
  await page.getByRole("button", { name: "Show them" }).click();
  await expect.poll(() => raw.innerText()).toContain(token);
});

test("check 23: [C11] simple and advanced are two views: going there and back changes no byte", async () => {
  for (const preset of [fixturePreset, simplePreset]) {
    const { page, saved } = await openPreset(studio, { preset });
    const before = [await digestOf(page), await messages(page)];
    for (const mode of ["Simple", "Advanced", "Simple", "Advanced"]) {
      await page.getByRole("button", { name: mode, exact: true }).click();
      await page.locator("[data-step]").first().waitFor();
      await expect.poll(() => Promise.all([digestOf(page), messages(page)])).toEqual(before);
    }
    await expect.poll(() => saved()).toEqual(preset);
    // An edit made there and taken back by hand, not by Undo, leaves the same bytes as well.
    await flip(page.locator("[data-step]").first());
    await flip(page.locator("[data-step]").first());
    await saved();
    await expect.poll(() => Promise.all([digestOf(page), messages(page)])).toEqual(before);
  }
});

const simplePreset: Preset = {
  version: 1,
  presetMessages: [
    { role: "system", content: "core text" },
    { id: "history", type: "chat_history", role: "user" },
    { role: "system", content: "note text", injectionStrategy: { depth: 1 } },
    { role: "system", content: "off", enabled: false },
  ],
};
