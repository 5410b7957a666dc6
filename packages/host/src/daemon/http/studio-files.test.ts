import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { studioFiles } from "./studio-files.ts";

function build(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-studio-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, "dist", name, ".."), { recursive: true });
    writeFileSync(join(folder, "dist", name), text);
  }
  writeFileSync(join(folder, "private.txt"), "private");
  return join(folder, "dist");
}

const usual = {
  "index.html": "<!doctype html><title>Studio</title>",
  "icon.svg": "<svg/>",
  "assets/index-BtqGGcKm.js": "go()",
  "assets/plain.js": "plain()",
};
const page = { accept: "text/html" };

async function ask(folder: string | undefined, path: string, headers: Record<string, string> = {}) {
  const response = await studioFiles(folder)(new Request(`http://127.0.0.1${path}`, { headers }));
  return response && { status: response.status, headers: response.headers, text: await response.text() };
}

test("files are served with their kinds; only names with a hash are kept for good", async () => {
  const folder = build(usual);
  const script = await ask(folder, "/assets/index-BtqGGcKm.js");
  expect(script?.text).toBe("go()");
  expect(script?.headers.get("content-type")).toMatch(/^text\/javascript/);
  expect(script?.headers.get("cache-control")).toContain("immutable");
  expect((await ask(folder, "/assets/plain.js"))?.headers.get("cache-control")).toContain("no-cache");
  expect((await ask(folder, "/", page))?.headers.get("cache-control")).toContain("no-cache");
  const etag = script?.headers.get("etag") ?? "";
  expect((await ask(folder, "/assets/index-BtqGGcKm.js", { "if-none-match": etag }))?.status).toBe(304);
});

test.each(["/", "/index.html", "/compose/my%20preset", "/chats/notes.json", "/sessions/chat%3Aa%2Fb/calls/3"])(
  "%s is a page of Studio, under its policy",
  async (path) => {
    const answer = await ask(build(usual), path, page);
    expect(answer?.text).toContain("<title>Studio</title>");
    expect(answer?.headers.get("content-security-policy")).toMatch(/script-src 'self';.*style-src 'self';/);
  },
);

test.each([
  "/assets/missing-12345678.js",
  "/../private.txt",
  "/%2e%2e/private.txt",
  "/..%2fprivate.txt",
  "/assets/..%2f..%2fprivate.txt",
  "//etc/passwd",
  "/%00",
  "/%ff",
])("%s gives no file", async (path) => {
  const answer = await ask(build(usual), path, { accept: "*/*" });
  expect(answer?.text ?? "no answer").toMatch(/^no answer$|<title>Studio<\/title>$/);
});

test("without a build the page says how to make one, and one that was made meanwhile is found", async () => {
  const folder = build({});
  const files = studioFiles(folder);
  const request = () => new Request("http://127.0.0.1/", { headers: page });
  expect(await (await files(request()))?.text()).toContain("npm run studio:build");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), "built");
  expect(await (await files(request()))?.text()).toBe("built");
});
