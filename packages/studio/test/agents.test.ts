import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { axeProblems, sidewaysScroll, useStudio } from "./use-studio.ts";

const config = fileURLToPath(new URL("../../../examples/agent", import.meta.url));
const studio = useStudio({ args: ["--config", config] });

test("an agent starts, answers, shows what it was given, and stops", async () => {
  const page = await studio.open("/agents");
  const card = page.getByRole("article", { name: "echo" });
  await card.getByText("stopped").waitFor();
  await card.getByRole("button", { name: "Start echo" }).click();
  await card.getByText("running").waitFor({ timeout: 30_000 });
  await card.getByRole("link", { name: "Open echo" }).click();
  await page.waitForURL("**/agents/echo");
  const providers = page.getByRole("region", { name: "Providers, in their order" });
  await providers.getByText("core-identity").waitFor();
  await page.getByRole("textbox", { name: "Say something to it" }).fill("Good morning");
  await page.getByRole("button", { name: "Send" }).click();
  await page
    .getByText(/Good morning/)
    .nth(1)
    .waitFor();
  await page.getByRole("button", { name: "Stop echo" }).click();
  await page.getByText("stopped").waitFor();
});

test("a canvas is drawn in a frame that can do nothing, and is drawn anew when the agent draws", async () => {
  const page = await studio.open("/agents/echo");
  expect(await page.getByText("The canvas is empty.").count()).toBe(1);
});

test.each(["/agents", "/agents/echo"])("axe finds nothing on %s, and 390 px are enough", async (path) => {
  const page = await studio.open(path, { size: { width: 390, height: 844 } });
  await page.getByText("echo").first().waitFor();
  expect(await axeProblems(page)).toEqual([]);
  expect(await sidewaysScroll(page)).toBe(0);
});
