import { expect, test } from "vitest";
import { expectAccessible, useStudio } from "./use-studio.ts";

const studio = useStudio();

test("[R6a] [R2] a message and a sentence are pinned in Chats, stay when the rest is cut, and are unpinned; what left is recalled there", async () => {
  const place = { params: { id: "chat:kept" } };
  const say = (input: string): Promise<unknown> =>
    studio.daemon.ask("runs.start", { body: { chat: "kept", model: "demo", input } });
  await studio.daemon.ask("chats.settings", {
    params: { key: "kept" },
    body: { context: { maxInputTokens: 3000, compaction: "extractive" } },
  });
  await say("The port of the mast is 8471.");
  const page = await studio.open("/chats/kept");
  const asked = page.locator('article[data-role="user"]').first();
  await asked.hover();
  await asked.getByRole("button", { name: "Pin", exact: true }).click();
  await asked.getByText("Pinned: sent with every call").waitFor();
  const sentence = page.getByRole("textbox", { name: "Pin a sentence of your own" });
  await sentence.click();
  await page.keyboard.type("Prices are in yen.");
  await page.keyboard.press("Enter");
  await page.getByText("Pinned (2)").waitFor();
  for (let turn = 1; turn <= 12; turn += 1) await say(`Plank ${turn} is wet. ${"It leaks a little. ".repeat(30)}`);
  const { calls } = await studio.daemon.ask("sessions.get", place);
  const last = { params: { ...place.params, n: calls.at(-1)?.n ?? 0 } };
  const sent = JSON.stringify((await studio.daemon.ask("sessions.call", last)).messages);
  expect(sent).toContain("The port of the mast is 8471.");
  expect(sent).toContain("Prices are in yen.");
  expect(sent).not.toContain("Plank 1 is wet. It leaks");
  // What was pinned is in the window; what left it is had by its words, and by the handle that they lead to.
  const field = page.getByLabel("Recall what left the window");
  await field.fill("Plank 1 is wet");
  await field.press("Enter");
  await page.getByText("§3 user: Plank 1 is wet.").waitFor();
  await page.getByRole("button", { name: "Unpin: Prices are in yen." }).click();
  await page.getByText("Pinned (1)").waitFor();
  const { pins } = await studio.daemon.ask("sessions.pins", place);
  expect(pins.map(({ message }) => JSON.stringify(message))).toEqual([expect.stringContaining("8471")]);
  await expectAccessible(page);
});
