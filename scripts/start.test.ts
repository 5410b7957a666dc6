import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

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
