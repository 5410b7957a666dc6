import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "galley-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("npm start builds Studio, opens a demo workspace, prints the link and three things to try, and stops when told", async () => {
  const args = ["scripts/start.ts", "--port", "0", "--data", join(folder, "data")];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  let out = "";
  for await (const piece of child.stdout.setEncoding("utf8")) {
    out += String(piece);
    if (out.includes("Stop it with")) break;
  }
  const [, link = "none"] = /(http:\S+\/open\?code=\S+)/.exec(out) ?? [];
  expect(out).toContain("Three things to try:");
  const entered = await fetch(link, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const chats = await fetch(new URL("/api/chats", link), { headers: { cookie } });
  expect(await chats.text()).toContain('"key":"demo"');
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
}, 120_000);

test.skipIf(process.platform === "win32").each(["SIGTERM", "SIGHUP"] as const)(
  "%s to npm ends the daemon that npm start has started",
  async (signal) => {
    const args = ["start", "--silent", "--", "--json", "--empty", "--port", "0", "--data", join(folder, signal)];
    const npm = spawn("npm", args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: npm.stdout });
    const [line] = (await once(lines, "line")) as [string];
    const { pid } = JSON.parse(line) as { readonly pid: number };
    onTestFinished(() => void (isThere(pid) && process.kill(pid, "SIGKILL")));
    npm.kill(signal);
    await expect.poll(() => isThere(pid)).toBe(false);
  },
  120_000,
);

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
