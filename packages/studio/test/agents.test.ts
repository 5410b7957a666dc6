import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { expectFitsPhone, useStudio } from "./use-studio.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-agents-"));
const args = [fileURLToPath(new URL("../../../examples/agent/echo-agent.ts", import.meta.url))];
const agents = [{ name: "echo", archetype: "service", command: process.execPath, args, permissions: "deny" }];
writeFileSync(join(folder, "galley.config.json"), JSON.stringify({ agents }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const studio = useStudio({ args: ["--config", folder] });

test("an agent starts, answers, shows what it was given, and stops", async () => {
  const page = await studio.open("/agents");
  const card = page.getByRole("article", { name: "echo" });
  await card.getByText("stopped").waitFor();
  await card.getByRole("button", { name: "Start echo" }).click();
  await card.getByText("running").waitFor();
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
  const { state } = await studio.daemon.ask("agents.get", { params: { name: "echo" } });
  expect(state).toBe("stopped");
});

test("a canvas appears as soon as the agent draws, in a frame that can do nothing", async () => {
  const page = await studio.open("/agents/echo");
  await page.getByText("The canvas is empty.").waitFor();
  await page.getByRole("button", { name: "Start echo" }).click();
  const box = page.getByRole("textbox", { name: "Say something to it" });
  await box.fill('draw <h1>Fuel</h1><script>document.title = "owned"</script><p>420 litres</p>');
  await page.getByRole("button", { name: "Send" }).click();
  const frame = page.locator("iframe");
  await frame.waitFor();
  await expect.poll(() => frame.getAttribute("sandbox")).toBe("");
  const inner = page.frameLocator("iframe").frameLocator("iframe");
  await inner.getByText("420 litres").waitFor();
  await expect.poll(() => inner.locator("script").count()).toBe(0);
  await box.fill("draw <p>380 litres</p>");
  await page.getByRole("button", { name: "Send" }).click();
  await inner.getByText("380 litres").waitFor();
  await page.getByRole("button", { name: "Empty the canvas" }).click();
  await page.getByText("The canvas is empty.").waitFor();
  await page.getByRole("button", { name: "Stop echo" }).click();
});

test.each(["/agents", "/agents/echo"])("axe finds nothing on %s, and 390 px are enough", async (path) => {
  const page = await studio.open(path);
  await page.getByText("echo").first().waitFor();
  await expectFitsPhone(page);
});

test("[T3e] the chat of an agent has the form of its settings too", async () => {
  const key = "agent:local";
  const body = { messages: [{ role: "user" as const, content: "hello" }] };
  await studio.daemon.ask("chats.add", { params: { key }, body });
  const page = await studio.open(`/chats/${encodeURIComponent(key)}`);
  const drawer = page.getByRole("region", { name: "Contexts" });
  await drawer.locator("summary", { hasText: "Settings (" }).click();
  const target = drawer.getByRole("button", { name: "Target of a cut" });
  await target.click();
  await drawer.getByRole("textbox", { name: "Target of a cut" }).fill("0.7");
  await drawer.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => target.innerText()).toMatch(/70%\s+the chat/);
  expect((await studio.daemon.ask("chats.get", { params: { key } })).context).toEqual({ targetRatio: 0.7 });
});
