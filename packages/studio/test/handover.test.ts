import { execFileSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { launcher } from "../../../scripts/launcher.ts";
import { expectAccessible, expectFitsPhone, useStudio } from "./use-studio.ts";

const studio = useStudio();

beforeAll(() => {
  const text = "You write short, plain sentences.";
  execFileSync(process.execPath, [launcher, "profile", "add", "writer", "--text", text, "--data", studio.daemon.data]);
});

test("a task is given, runs, and its tree shows what was seen and what came back", async () => {
  const page = await studio.open("/boxes");
  await page.getByLabel("What it is to do").fill("Describe the lighthouse.");
  await page.getByRole("button", { name: "Give it" }).click();
  const task = page.getByRole("article", { name: "Describe the lighthouse." });
  await task.getByText("succeeded").waitFor();
  await task.getByText(/Result:/).waitFor();
  await task.getByRole("button", { name: "What its model read" }).click();
  await task
    .getByRole("list", { name: "What its model read" })
    .getByText("You write short, plain sentences.")
    .waitFor();
  await task.getByRole("link", { name: /card/ }).first().click();
  await page.waitForURL("**/boxes/*");
  await page.getByText("Describe the lighthouse.").first().waitFor();
  await expect.poll(() => page.locator("[data-card]").count()).toBeGreaterThan(0);
  await page.getByText("packed").first().waitFor();
});

test("a chat that delegates shows up here, with the child's box", async () => {
  await studio.daemon.ask("runs.start", {
    body: { chat: "demo", model: "demo", input: "delegate to writer: Count the ships." },
  });
  const page = await studio.open("/boxes");
  await page.getByRole("link", { name: "Count the ships." }).click();
  const task = page.getByRole("article", { name: "Count the ships." });
  await task.waitFor();
  await expect.poll(() => task.getByRole("heading").textContent()).toBe("writer");
});

test("a profile is made and removed", async () => {
  const page = await studio.open("/boxes");
  await page.getByRole("button", { name: "New profile" }).click();
  await page.getByLabel("Name").fill("helper");
  await page.getByLabel("Who the agent is and how it works").fill("You help.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Remove helper" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(() => page.locator("[data-profile]").allTextContents()).toHaveLength(1);
});

test("in Chinese, the states are said in Chinese", async () => {
  const page = await studio.open("/boxes", { language: "zh" });
  await expect
    .poll(() => page.getByRole("listitem").filter({ hasText: "Describe the lighthouse." }).innerText())
    .toContain("已完成");
});

test("a box that does not exist says so", async () => {
  const page = await studio.open("/boxes/nothing", { expects: ["not found"] });
  await page.getByRole("alert").waitFor();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("NotFound");
});

test("axe finds nothing in theme × language, and 390 px are enough", async () => {
  const page = await studio.open("/boxes");
  const link = page.getByRole("link", { name: "Describe the lighthouse." });
  await link.waitFor();
  await expectFitsPhone(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Switch to English" }).click();
  await link.click();
  await page.getByRole("article").first().waitFor();
  await expectFitsPhone(page);
  await expectAccessible(page);
});
