import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPreset } from "@galley/engine";
import { afterAll, expect, test } from "vitest";
import { makeDemoWorkspace } from "./demo-workspace.ts";
import { openGalley } from "./open-galley.ts";

const data = mkdtempSync(join(tmpdir(), "galley-demo-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test("[W3] [H6] a newcomer finds a preset without faults, a chat with two topics, and somebody to delegate to", async () => {
  const galley = await openGalley({ data, config: false, environment: {} });
  await makeDemoWorkspace(galley);
  const { preset } = await galley.presets.get("airship");
  expect(checkPreset(preset)).toEqual([]);
  const turn = await galley.turn({ chat: "demo", model: "demo", input: "And with the wind behind us?" });
  expect(turn.recipe?.id).toBe("others");
  expect(turn.ledger.map(({ id, fate }) => `${id} ${fate}`)).toEqual(
    expect.arrayContaining(["kerosene_tax kept", "think_first disabled", "note kept"]),
  );
  await turn.abort();
  const { result } = galley.run({
    chat: "demo",
    model: "demo",
    input: "back to kerosene tax\ndelegate to writer: Describe a lighthouse.",
  });
  expect((await result).text).toContain("[demo]");
  const { messages } = (await galley.chats.open("demo")).window();
  expect(messages[0]?.content).toBe("Why is the kerosene tax so high?");
  await galley.close();
});

test("the demo is there in Chinese as well, wholly so; what is there stays as it is", async () => {
  const galley = await openGalley({ data, config: false, environment: {} });
  const demo = await makeDemoWorkspace(galley, "zh");
  const { preset, version } = await galley.presets.get(demo.preset);
  expect(checkPreset(preset)).toEqual([]);
  const said = (await galley.chats.open(demo.chat)).transcript().messages.map(({ content }) => content);
  expect(said).toHaveLength(6);
  const texts = [...said, ...(preset.messageTemplates ?? []).flatMap(({ name, content }) => [name, content ?? "煤"])];
  for (const text of texts) expect(text).toMatch(/^[^A-Za-z]*\p{Script=Han}|\{\{char/u);
  expect(await makeDemoWorkspace(galley, "zh")).toEqual(demo);
  expect((await galley.presets.get(demo.preset)).version).toBe(version);
  expect((await galley.chats.open(demo.chat)).transcript().messages).toHaveLength(6);
  await galley.close();
});
