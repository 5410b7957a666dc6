import type { Preset } from "@galley/engine";
import { expect, test } from "vitest";
import { testDaemon } from "./testing/temp-daemon.ts";

/** A preset as the first version of the import made it: its entry waits for a key, and stands still. */
const firstImport: Preset = {
  messageTemplates: [
    {
      id: "lore/1",
      role: "system",
      content: "The lamp burns oil.",
      metadata: {
        sillytavern: { from: "entry", book: "lore", uid: 1, entry: { key: ["lamp"], position: 4, depth: 1 } },
      },
    },
    { id: "chat", role: "user", type: "chat_history" },
  ],
  contextRecipes: [
    {
      id: "sillytavern",
      modelFilter: ["*"],
      steps: [
        { messageId: "lore/1", enabled: false, injectionStrategy: { depth: 1 } },
        { messageId: "chat", enabled: true },
      ],
    },
  ],
};

test("presets are saved, listed, brought back and deleted; a second hand is a conflict", async () => {
  const own = await testDaemon();
  const params = { id: "my preset" };
  const { preset } = await own.call("presets.get", { params: { id: "default" } });
  const saved = await own.call("presets.save", { params, body: { preset, expectedVersion: 0, label: "begin" } });
  expect(saved).toMatchObject({ id: "my preset", version: 1, label: "begin" });
  await own.call("presets.save", { params, body: { preset: { ...preset, name: "Two" }, expectedVersion: 1 } });
  const conflict = await own.answer("presets.save", { params, body: { preset, expectedVersion: 1 } });
  expect(conflict).toMatchObject({ status: 409, body: { code: "PresetConflict" } });
  const wrong = await own.answer("presets.save", { params, body: { preset: { no: 1 }, expectedVersion: 2 } });
  expect(wrong.status).toBe(422);
  expect((await own.call("presets.list")).presets.map(({ id, version }) => [id, version])).toContainEqual([
    "my preset",
    2,
  ]);
  expect((await own.call("presets.versions", { params })).versions.map(({ version }) => version)).toEqual([2, 1]);
  expect((await own.call("presets.version", { params: { ...params, version: 1 } })).preset).toEqual(preset);
  await own.call("presets.delete", { params });
  expect((await own.answer("presets.get", { params })).status).toBe(404);
});

test("[K2a] entries of an earlier import are brought alive as the next version of their preset", async () => {
  const own = await testDaemon();
  const params = { id: "old" };
  await own.call("presets.save", { params, body: { preset: firstImport, expectedVersion: 0 } });
  const stale = await own.answer("presets.revive", { params, body: { expectedVersion: 0 } });
  expect(stale).toMatchObject({ status: 409, body: { code: "PresetConflict" } });
  const revived = await own.call("presets.revive", { params, body: { expectedVersion: 1 } });
  expect(revived).toMatchObject({ version: 2, revived: 1, label: "revive entries" });
  expect(revived.preset.messageTemplates?.[0]?.activation).toMatchObject({ book: "lore", keys: ["lamp"] });
  const again = await own.call("presets.revive", { params, body: { expectedVersion: 2 } });
  expect(again).toMatchObject({ version: 2, revived: 0 });
  expect((await own.call("presets.version", { params: { ...params, version: 1 } })).preset).toEqual(firstImport);
});
