import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { keptList } from "./kept-list.ts";
import { userFile } from "./user-file.ts";

const item = z.strictObject({ name: z.string() });

function newList() {
  const folder = mkdtempSync(join(tmpdir(), "galley-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, "data");
  mkdirSync(data);
  const kept = userFile("providers", data);
  return { data, file: "file" in kept ? kept.file : "", list: () => keptList("providers", item, data) };
}

test("[P10] two that change a list at once leave out nothing of each other", async () => {
  const { list } = newList();
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  const [one, other] = [list(), list()];
  await Promise.all(
    names.map((name, index) => (index % 2 === 0 ? one : other).change((items) => [...items, { name }])),
  );
  expect(
    list()
      .read()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(names.toSorted());
});

test("[P10] a list that cannot be understood is not written over: it may hold the only copy of a key", async () => {
  const { file, list } = newList();
  await list().change(() => [{ name: "house" }]);
  const damaged = readFileSync(file, "utf8").replace("{", "{,");
  writeFileSync(file, damaged, { mode: 0o600 });
  expect(list().read()).toEqual([]);
  await expect(list().change((items) => [...items, { name: "other" }])).rejects.toMatchObject({
    code: "DataDamaged",
    path: file,
  });
  expect(readFileSync(file, "utf8")).toBe(damaged);
});

test("[P10a] what a process that was killed has left half written goes with the next change", async () => {
  const { file, list } = newList();
  await list().change(() => [{ name: "house" }]);
  // As a process that has ended would have named it.
  const draft = join(dirname(file), `.${basename(file)}.999999999-1-0a1b2c.tmp`);
  writeFileSync(draft, '{"apiKey": "sk-left"}', { mode: 0o600 });
  await list().change(() => []);
  const own = readdirSync(dirname(file)).filter((name) => name.includes(basename(file)));
  expect(own.toSorted()).toEqual([basename(file), `${basename(file)}.lock`]);
});
