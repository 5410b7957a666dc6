import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openGalley } from "../galley/open-galley.ts";
import { findConfig } from "./find-config.ts";

const isRoot = process.geteuid?.() === 0;

/** A project below a folder that may be open to others; the configuration says so when it is run. */
function project(parentMode: number): { readonly parent: string; readonly folder: string; readonly file: string } {
  const parent = mkdtempSync(join(tmpdir(), "galley-config-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, "project");
  mkdirSync(folder);
  const file = join(parent, "galley.config.ts");
  writeFileSync(file, "globalThis.hasRun = true;\nexport default {};\n", { mode: 0o644 });
  chmodSync(parent, parentMode);
  return { parent, folder, file };
}

test.skipIf(process.platform === "win32")(
  "[P9] a configuration in a folder that others can write is neither found nor run, unless it is named",
  async () => {
    const { parent, folder, file } = project(0o777);
    const unsafe = { code: "ConfigUnsafe", path: file, hint: expect.stringContaining(`--config ${parent}`) };
    expect(() => findConfig(folder)).toThrow(expect.objectContaining(unsafe));
    vi.spyOn(process, "cwd").mockReturnValue(folder);
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(openGalley({ data: join(parent, "data") })).rejects.toMatchObject(unsafe);
    expect(globalThis).not.toHaveProperty("hasRun");
    const galley = await openGalley({ data: join(parent, "data"), config: parent });
    await galley.close();
    expect(globalThis).toHaveProperty("hasRun", true);
  },
);

test.skipIf(process.platform === "win32")("[P9] nor is a file that others can write, directly or behind a link", () => {
  const { folder, file } = project(0o755);
  expect(findConfig(folder)).toBe(join(folder, ".."));
  chmodSync(file, 0o666);
  expect(() => findConfig(folder)).toThrow(/Other users can write/);
  symlinkSync(file, join(folder, "galley.config.ts"));
  expect(() => findConfig(folder)).toThrow(/Other users can write/);
});

test.skipIf(!isRoot)("[P9] nor is one that another user has put into a folder such as /tmp", () => {
  const { folder, file } = project(0o1777);
  expect(findConfig(folder)).toBe(join(folder, ".."));
  chownSync(file, 12_345, 12_345);
  expect(() => findConfig(folder)).toThrow(/belongs to another user \(12345\)/);
});

test.skipIf(!isRoot)(
  "[P9] the user's own group may write, as on systems where every user has one; another group may not",
  () => {
    const { parent, folder } = project(0o775);
    expect(findConfig(folder)).toBe(parent);
    chownSync(parent, 0, 12_345);
    expect(() => findConfig(folder)).toThrow(/Other users can write into/);
  },
);
