import type { Page } from "playwright";
import { expect, test } from "vitest";
import { flip, openPreset, step } from "./compose-fixture.ts";
import { useStudio } from "./use-studio.ts";

const studio = useStudio();

/** Presses the button while it is there: a page that is back by itself has none any more. */
async function tryAgain(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: "Try again" }).first();
  const press = async (): Promise<number> => {
    if (await button.isVisible()) await button.click({ timeout: 2000 }).catch(() => undefined);
    return button.count();
  };
  await expect.poll(press).toBe(0);
}

test("a daemon that is gone is said, what is there stays, and Try again asks again", async () => {
  const page = await studio.open("/settings", { expects: ["daemon away"] });
  await page.getByText("SQLite").waitFor();
  const loaded = (): Promise<string | undefined> =>
    page.evaluate(() => {
      const names = performance.getEntriesByType("resource").map(({ name }) => name);
      return names.find((name) => /\/home-page[^/]*\.js$/u.test(name));
    });
  await expect.poll(loaded).toBeDefined();
  // What it is made of in turn may still be on its way.
  await page.evaluate(`import(${JSON.stringify(await loaded())}).then(() => undefined)`);
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByText("The daemon does not answer. What you see may be old.").waitFor();
  await page.context().setOffline(false);
  await tryAgain(page);
  await page.getByText("The daemon does not answer. What you see may be old.").waitFor({ state: "detached" });
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
});

test("check 65: a network that goes away is noticed with nothing pressed, a daemon that hangs too, and that both are back", async () => {
  const page = await studio.open("/settings", { expects: ["daemon away"] });
  const banner = page.getByText("The daemon does not answer. What you see may be old.");
  await page.getByText("SQLite").waitFor();
  await page.context().setOffline(true);
  await banner.waitFor();
  await page.context().setOffline(false);
  await banner.waitFor({ state: "detached" });
  await page.clock.install();
  await page.reload();
  await page.getByText("SQLite").waitFor();
  let isHanging = true;
  await page.route("**/api/**", (route) => (isHanging ? undefined : route.continue()));
  await page.clock.fastForward(10_000);
  await banner.waitFor();
  isHanging = false;
  await page.clock.fastForward(10_000);
  await expect.poll(() => banner.count()).toBe(0);
});

test("check 29: an edit that could not be saved says so and why, and is saved once the daemon is there again", async () => {
  const { page, saved } = await openPreset(studio, { expects: ["daemon away"] });
  await page.context().setOffline(true);
  await flip(step(page, "core"));
  const notice = page.getByRole("alert").filter({ hasText: "Your last edits are not saved." });
  await expect.poll(() => notice.innerText()).toContain("The daemon does not answer.");
  await page.context().setOffline(false);
  await tryAgain(page);
  const { contextRecipes = [] } = await saved();
  await expect.poll(() => notice.count()).toBe(0);
  const steps = contextRecipes.flatMap((recipe) => recipe.steps);
  expect(steps.filter(({ enabled }) => !enabled).map(({ messageId }) => messageId)).toEqual(["core"]);
});

test("check 29: an edit that throws is not taken for one that was made: the page says what went wrong", async () => {
  const { page } = await openPreset(studio, { expects: ["planted error"] });
  await page.evaluate(() => {
    setTimeout(() => {
      throw new RangeError("planted: the list has no step 7");
    });
    void Promise.reject(new RangeError("planted: the list has no step 8"));
  });
  for (const step of [7, 8]) {
    await expect.poll(() => page.getByText(`planted: the list has no step ${step}`).count()).toBe(1);
  }
});
