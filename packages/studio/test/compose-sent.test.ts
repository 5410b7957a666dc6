import { afterAll, expect, test } from "vitest";
import { fixturePreset } from "./compose-fixture.ts";
import { startStubProvider } from "./stub-provider.ts";
import { useStudio } from "./use-studio.ts";

const stub = await startStubProvider();
const studio = useStudio({ args: ["--config", stub.configFolder] });
afterAll(() => stub.stop());

/** What the model reads in a body: its fields with content, written as they stand there. */
function contentOf(body: string): string {
  const { messages, tools } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  return JSON.stringify({ messages, tools });
}

test("check 15: Raw is, byte for byte, what the provider received, and both have one digest", async () => {
  const { daemon } = studio;
  await daemon.ask("presets.save", { params: { id: "sent" }, body: { preset: fixturePreset, expectedVersion: 0 } });
  for (const session of ["plain", "chat:with tools"]) {
    const place = session.startsWith("chat:") ? { chat: session.slice(5) } : { session };
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
