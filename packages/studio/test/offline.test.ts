import { expect, test } from "vitest";
import { flip, openPreset, step } from "./compose-fixture.ts";
import { useStudio } from "./use-studio.ts";

const studio = useStudio();

test("a daemon that is gone is said, what is there stays, and Try again asks again", async () => {
  const page = await studio.open("/settings", { expects: ["daemon away"] });
  await page.getByText("SQLite").waitFor();
  const loaded = (): Promise<string> =>
    page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name }) => name)
        .join(" "),
    );
  await expect.poll(loaded).toContain("/home-page");
  await page.context().setOffline(true);
  await page.getByRole("link", { name: "Home", exact: true }).click();
  await page.getByText("The daemon does not answer. What you see may be old.").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Try again" }).first().click();
  await page.getByText("The daemon does not answer. What you see may be old.").waitFor({ state: "detached" });
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
});

test("an edit that could not be saved is saved once the daemon is there again", async () => {
  const { page, saved } = await openPreset(studio, { expects: ["daemon away"] });
  await page.context().setOffline(true);
  await flip(step(page, "core"));
  await page.getByRole("button", { name: "Not saved" }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole("button", { name: "Try again" }).first().click();
  const { contextRecipes = [] } = await saved();
  const steps = contextRecipes.flatMap((recipe) => recipe.steps);
  expect(steps.filter(({ enabled }) => !enabled).map(({ messageId }) => messageId)).toEqual(["core"]);
});
