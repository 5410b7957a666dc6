import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("a browser that an earlier run has left half unpacked is unpacked anew", () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-chromium-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "chromium"), "half of it", { mode: 0o700 });
  const module = JSON.stringify(new URL("chromium-path.ts", import.meta.url).href);
  const script = `process.stdout.write(await (await import(${module})).chromiumPath())`;
  const env = { ...process.env, TMPDIR: folder };
  const path = execFileSync(process.execPath, ["--input-type=module", "-e", script], { env, encoding: "utf8" });
  expect(path).toBe(join(folder, "chromium"));
  expect(execFileSync(path, ["--version"], { encoding: "utf8" })).toMatch(/^Chromium \d+/);
});
