import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Preset } from "@galley/engine";
import { afterAll, expect, test } from "vitest";
import { type PresetLibrary, presetLibrary } from "./preset-library.ts";

const root = mkdtempSync(join(tmpdir(), "galley-presets-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
function library(): PresetLibrary & { readonly folder: string; readonly events: string[] } {
  const folder = join(root, `library-${(count += 1)}`);
  const events: string[] = [];
  let clock = 1000;
  const onChange = (type: string, id: string): void => void events.push(`${type} ${id}`);
  return { ...presetLibrary({ folder, now: () => (clock += 1), onChange }), folder, events };
}
const preset = (content: string): Preset => ({ presetMessages: [{ id: "a", role: "system", content }] });

test("[C1] every save is a version, and the newest is the preset", async () => {
  const shelf = library();
  await shelf.save("mine", { preset: preset("one"), expectedVersion: 0, label: "made" });
  await shelf.save("mine", { preset: preset("two"), expectedVersion: 1 });
  expect(await shelf.get("mine")).toMatchObject({ version: 2, preset: preset("two"), problems: [] });
  expect(await shelf.versions("mine")).toMatchObject([{ version: 2 }, { version: 1, label: "made" }]);
  expect(await shelf.version("mine", 1)).toMatchObject({ preset: preset("one"), label: "made" });
  expect((await shelf.list()).map(({ id, version: number, mode }) => [id, number, mode])).toEqual([
    ["default", 0, "simple"],
    ["mine", 2, "simple"],
  ]);
  expect(shelf.events).toEqual(["preset:saved mine", "preset:saved mine"]);
});

test("[C1] who saves from an older version is told so, and nothing is lost", async () => {
  const shelf = library();
  await shelf.save("mine", { preset: preset("one"), expectedVersion: 0 });
  const both = await Promise.allSettled([
    shelf.save("mine", { preset: preset("two"), expectedVersion: 1 }),
    shelf.save("mine", { preset: preset("three"), expectedVersion: 1 }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await expect(shelf.save("mine", { preset: preset("four"), expectedVersion: 0 })).rejects.toMatchObject({
    code: "PresetConflict",
    path: "expectedVersion",
  });
  expect(await shelf.get("mine")).toMatchObject({ version: 2, preset: preset("two") });
});

test("[C1] a deleted preset is gone, its versions stay until the name is used again", async () => {
  const shelf = library();
  await shelf.save("mine", { preset: preset("one"), expectedVersion: 0 });
  await shelf.save("mine", { preset: preset("two"), expectedVersion: 1 });
  await shelf.delete("mine");
  await expect(shelf.get("mine")).rejects.toMatchObject({ code: "NotFound" });
  await expect(shelf.delete("mine")).rejects.toMatchObject({ code: "NotFound" });
  expect((await shelf.list()).map(({ id }) => id)).toEqual(["default"]);
  expect(await shelf.versions("mine")).toHaveLength(2);
  await shelf.save("mine", { preset: preset("new"), expectedVersion: 0 });
  expect(await shelf.versions("mine")).toMatchObject([{ version: 1 }]);
});

test("[C1] default is built in until the library has one", async () => {
  const shelf = library();
  expect(await shelf.get("default")).toMatchObject({ version: 0, problems: [] });
  await shelf.save("default", { preset: preset("own"), expectedVersion: 0 });
  expect(await shelf.get("default")).toMatchObject({ version: 1, preset: preset("own") });
  await shelf.delete("default");
  expect(await shelf.get("default")).toMatchObject({ version: 0 });
});

test.each([
  ["", "InvalidId"],
  ["../outside", "InvalidId"],
  ["a/b", "InvalidId"],
  ["nobody", "NotFound"],
])("a name that is none (%j) is refused and touches nothing", async (id, code) => {
  const shelf = library();
  await expect(shelf.get(id)).rejects.toMatchObject({ code });
  expect(existsSync(shelf.folder)).toBe(false);
});

test("[C3] a preset that is wrong is refused with all its problems and not kept", async () => {
  const shelf = library();
  const wrong = { presetMessages: [{ role: "system", injectionStrategy: { anchorTarget: "nowhere" } }, { role: "?" }] };
  await expect(shelf.save("mine", { preset: wrong, expectedVersion: 0 })).rejects.toMatchObject({
    code: "PresetInvalid",
  });
  expect(existsSync(join(shelf.folder, "mine"))).toBe(false);
});

test("names in any script and case have folders of their own", async () => {
  const shelf = library();
  const names = ["Tagebuch", "tagebuch", "日记", "a b", "Con"];
  for (const name of names) await shelf.save(name, { preset: preset(name), expectedVersion: 0 });
  const folders = readdirSync(shelf.folder).filter((name) => !name.startsWith("."));
  expect(new Set(folders.map((name) => name.toLowerCase())).size).toBe(names.length);
  expect((await shelf.list()).map(({ id }) => id).sort()).toEqual([...names, "default"].sort());
});

test("a damaged version is named, and harms no other preset", async () => {
  const shelf = library();
  await shelf.save("good", { preset: preset("x"), expectedVersion: 0 });
  await shelf.save("bad", { preset: preset("x"), expectedVersion: 0 });
  writeFileSync(join(shelf.folder, "bad", "v000001.json"), '{"v":1}');
  await expect(shelf.get("bad")).rejects.toMatchObject({ code: "DataDamaged" });
  expect((await shelf.list()).map(({ id }) => id)).toEqual(["default", "good"]);
});

test("[C1] a damaged default is reported to the caller that asks for it; the others are listed all the same", async () => {
  const shelf = library();
  await shelf.save("default", { preset: preset("own"), expectedVersion: 0 });
  await shelf.save("mine", { preset: preset("one"), expectedVersion: 0 });
  writeFileSync(join(shelf.folder, "default", "v000001.json"), "{");
  expect((await shelf.list()).map(({ id }) => id)).toEqual(["mine"]);
  await expect(shelf.get("default")).rejects.toMatchObject({ code: "InvalidJson" });
});
