import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parsePlaceId } from "galley/api/client";
import { afterAll, expect, test } from "vitest";
import { fixturePreset, savePreset } from "./compose-fixture.ts";
import { startStubProvider } from "./stub-provider.ts";
import { useStudio } from "./use-studio.ts";

const stub = await startStubProvider();
const studio = useStudio({ args: ["--config", stub.configFolder] });
afterAll(() => stub.stop());

const config = join(stub.configFolder, "galley.config.json");
const agents = [{ name: "mara", archetype: "repo", command: process.execPath }];
writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, "utf8")), agents }));

/** What the model reads in a body: its fields with content, written as they stand there. */
function contentOf(body: string): string {
  const { messages, tools } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return JSON.stringify({ messages, tools });
}

test("check 15: Raw is, byte for byte, what the provider received, and both have one digest", async () => {
  const { daemon } = studio;
  await daemon.ask("presets.save", { params: { id: "sent" }, body: { preset: fixturePreset, expectedVersion: 0 } });
  for (const session of ["plain", "chat:with tools", "agent:mara"]) {
    const { kind, name } = parsePlaceId(session);
    const place = { [kind]: name };
    for (const input of ["First, 飞艇的煤油税怎么计算？", "And then?"]) {
      const run = daemon.ask("runs.start", { body: { ...place, model: stub.model, preset: "sent", input } });
      await stub.say("An answer.");
      await stub.end();
      await run;
    }
    const body = stub.bodies.at(-1) ?? "";
    const { calls } = await daemon.ask("sessions.get", { params: { id: session } });
    const call = calls.at(-1);
    const query = new URLSearchParams({ session, call: String(call?.n), model: stub.model });
    const page = await studio.open(`/compose/sent?${query}`);
    await page.locator("[data-entries][data-counted]:not([data-entries='11'])").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Raw" }).click();
    await expect.poll(() => page.getByTestId("digest").innerText()).toBe(call?.digest);
    const raw = await page.getByTestId("raw").innerText();
    expect(raw).toBe(contentOf(body));
    expect(body).toContain(raw.slice(1, -1));
  }
});

test("checks 31, 32: [T14] with the next message typed in, Compose has the digest of the next call, and draws the target of its cut: 3,000 messages, tools included", async () => {
  const { daemon } = studio;
  const messages = Array.from({ length: 3000 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `Message ${index + 1} of the harbour's ledger, 第 ${index + 1} 条. We decided to keep ship-${index}.`,
  }));
  await daemon.ask("chats.add", { params: { key: "long" }, body: { messages } });
  const preset = await savePreset(studio);
  // Neither the page nor the call is given a budget: both take what the chat says.
  const context = { maxInputTokens: 12_000, targetRatio: 0.7 };
  await daemon.ask("chats.settings", { params: { key: "long" }, body: { context } });
  const body = { chat: "long", model: stub.model, preset, input: "Which ships do we keep?" };
  const page = await studio.open(`/compose/${preset}?source=chat:long&model=${stub.model}`);
  // [T12] Every message has come; none is cut off.
  await page.locator("[data-entries='3000'][data-counted]").waitFor({ state: "attached" });
  await page.getByRole("textbox", { name: "Next message" }).pressSequentially(body.input);
  await expect
    .poll(() => page.getByTestId("cut").innerText())
    .toBe("cut down to 70% so that the next turns need no cut");
  await expect.poll(() => page.getByTestId("target").evaluate((line) => line.style.left)).toBe("70%");
  const turn = await daemon.ask("turns.build", { body });
  await daemon.ask("turns.abort", { params: { id: turn.id } });
  expect(turn.tools.length).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Raw" }).click();
  await expect.poll(() => page.getByTestId("digest").innerText()).toBe(turn.digest);
  await expect.poll(() => page.getByTestId("used").getAttribute("data-tokens")).toBe(String(turn.stats.inputTokens));
});
