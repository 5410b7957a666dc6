import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { versionedFiles } from "./versioned-files.ts";

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-versions-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("[W10] a version is written once; the second one is told so, and the first stays", async () => {
  const folder = temporary();
  const files = versionedFiles(join(folder, "new"), { prefix: "v", digits: 6 });
  expect(files.versions()).toEqual([]);
  const results = await Promise.all(["a", "b", "c"].map((text) => files.add(7, text)));
  expect(results.filter((isAdded) => isAdded)).toEqual([true]);
  expect(files.read(7)).toBe(["a", "b", "c"][results.indexOf(true)]);
  expect(await files.add(1_000_000, "late")).toBe(true);
  expect(files.versions()).toEqual([7, 1_000_000]);
  expect(readdirSync(join(folder, "new"))).toEqual(["v000007.json", "v1000000.json"]);
});

test("[W10] drafts of a process that died go with the next version; other files are left alone", async () => {
  const folder = temporary();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  for (const name of [`.1.json.${pid}-1-abc.tmp`, "notes.json", "deleted.json"]) writeFileSync(join(folder, name), "x");
  const files = versionedFiles(folder);
  await files.add(1, "one");
  await files.add(2, "two");
  files.remove([1, 5]);
  expect(readdirSync(folder).toSorted()).toEqual(["2.json", "deleted.json", "notes.json"]);
});

test("[E] what the disk refuses is StorageFailed with its path", async () => {
  const folder = temporary();
  writeFileSync(join(folder, "file"), "");
  const files = versionedFiles(join(folder, "file"));
  await expect(files.add(1, "one")).rejects.toMatchObject({ code: "StorageFailed", path: join(folder, "file") });
  expect(() => files.read(1)).toThrow(expect.objectContaining({ code: "StorageFailed" }) as Error);
});
