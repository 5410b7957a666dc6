import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);
const module = JSON.stringify(new URL("chromium-path.ts", import.meta.url).href);

test("the browser is unpacked once and whole, by several runs at once, and a planted one is not used", async () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-chromium-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [cache, temp] = [join(folder, "cache"), join(folder, "temp")];
  mkdirSync(temp);
  writeFileSync(join(temp, "chromium"), "#!/bin/sh\necho planted\n", { mode: 0o755 });
  // What a run that was killed has left.
  mkdirSync(join(cache, "draft-killed"), { recursive: true });
  writeFileSync(join(cache, "draft-killed", "chromium"), "half of it", { mode: 0o700 });
  const script = `process.stdout.write(await (await import(${module})).chromiumPath(${JSON.stringify(cache)}))`;
  const env = { ...process.env, TMPDIR: temp };
  const runs = [1, 2].map(() => run(process.execPath, ["--input-type=module", "-e", script], { env }));
  const paths = (await Promise.all(runs)).map(({ stdout }) => stdout);
  const [version = "", ...others] = readdirSync(cache).filter((name) => name !== "draft-killed");
  expect(others).toEqual([]);
  expect(paths).toEqual([join(cache, version, "chromium"), join(cache, version, "chromium")]);
  expect((await run(paths[0] ?? "", ["--version"])).stdout).toMatch(/^Chromium \d+/);
});
