import { readFileSync, readdirSync } from "node:fs";
import type { Page } from "playwright";
import { expect, test } from "vitest";
import { useStudio } from "./use-studio.ts";

// Each of these fails if the page errors are not noticed: `test.fails` turns the failure that they plant into success.

const studio = useStudio();

/** Runs a plant in the page, and waits until the browser has told of it. */
async function expectPlanted(page: Page, name: keyof typeof plants): Promise<void> {
  const told = new Promise<void>((resolve) => {
    page.on("console", (message) => message.type() === "error" && resolve());
    page.on("pageerror", () => resolve());
  });
  await page.evaluate(plants[name]);
  await told;
  // The page itself goes on: only the check after the test can fail.
  await expect.poll(() => page.locator("body").count()).toBe(1);
}

const plants = {
  // oxlint-disable-next-line no-console
  "an error on the console": () => console.error("planted"),
  "an error that nothing catches": () =>
    void setTimeout(() => {
      throw new Error("planted");
    }),
  "a promise that nothing catches": () => void Promise.reject(new Error("planted")),
  "a file that is not there": () => void fetch("/api/nothing"),
};

test("a page without errors passes, or the next tests would mean nothing", async () => {
  const page = await studio.open("/settings");
  await expect.poll(() => page.locator("h1").innerText()).toBe("Settings");
});

for (const name of Object.keys(plants) as (keyof typeof plants)[]) {
  test.fails(`a test fails by ${name}`, async () => {
    await expectPlanted(await studio.open("/settings"), name);
  });
}

test.fails("a test fails by an error in a window that it opened itself", async () => {
  const page = await studio.open("/settings");
  await expectPlanted(await page.context().newPage(), "an error on the console");
});

test.fails("an error that is expected does not excuse another one", async () => {
  const page = await studio.open("/settings", { expects: ["not found"] });
  await expectPlanted(page, "a file that is not there");
  await expectPlanted(page, "an error on the console");
});

test("an error that is expected by name passes", async () => {
  await expectPlanted(await studio.open("/settings", { expects: ["not found"] }), "a file that is not there");
});

test("no test opens a page that is not watched", () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
  const opening = files.filter((name) => /newContext\(browser|\.launch\(/.test(sourceOf(name)));
  expect(opening).toContain("browsers.test.ts");
  expect(opening.filter((name) => !sourceOf(name).includes("watchErrors(context"))).toEqual([]);
});

const sourceOf = (name: string): string => readFileSync(`${import.meta.dirname}/${name}`, "utf8");
