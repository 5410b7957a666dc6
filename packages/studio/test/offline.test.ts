import { expect, test } from "vitest";
import { useStudio } from "./use-studio.ts";

const studio = useStudio();

test("a daemon that is gone is said, what is there stays, and Try again asks again", async () => {
  const page = await studio.open("/settings", { expectsErrors: true });
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
