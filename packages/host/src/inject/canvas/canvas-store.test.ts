import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { canvasStore } from "./canvas-store.ts";
import { type HookEvent, HookEventBus } from "../session/hook-event-bus.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "galley-canvas-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const clock = (): number => Date.UTC(2026, 10, 16);

test("[I8] one canvas per agent, each update a version, with events; another process finds it again", async () => {
  const eventBus = new HookEventBus({ clock });
  const events: HookEvent[] = [];
  eventBus.on("*", (event) => events.push(event));
  const store = canvasStore({ folder, eventBus, clock });
  expect(await store.get("mara")).toBeUndefined();
  const first = await store.update("mara", { html: "<p>资</p>", title: "One" });
  expect(first).toEqual({
    v: 1,
    agentName: "mara",
    version: 1,
    title: "One",
    html: "<p>资</p>",
    updatedAt: "2026-11-16T00:00:00.000Z",
  });
  await store.update("mara", { html: "<p>2</p>" });
  await store.update("Mara", { html: "another" });
  const again = canvasStore({ folder });
  expect(await again.get("mara")).toMatchObject({ version: 2, title: "One", html: "<p>2</p>" });
  expect(await again.get("mara", 1)).toEqual(first);
  expect(await again.get("mara", 7)).toBeUndefined();
  expect(await again.get("Mara")).toMatchObject({ version: 1, html: "another" });
  expect(await store.clear("mara")).toMatchObject({ version: 3, title: "", html: "" });
  expect(events.map(({ event, agentName, data }) => [event, agentName, data["version"], data["bytes"]])).toEqual([
    ["canvas:updated", "mara", 1, 10],
    ["canvas:updated", "mara", 2, 8],
    ["canvas:updated", "Mara", 1, 7],
    ["canvas:cleared", "mara", 3, 0],
  ]);
});

test.each<[string, unknown, string]>([
  ["a byte too many", { html: "x".repeat(512 * 1024 + 1) }, "html"],
  ["few characters of many bytes", { html: "资".repeat(200_000) }, "html"],
  ["no html", { title: "x" }, "html"],
  ["html that is not text", { html: 1 }, "html"],
  ["another's name", { html: "x", agentName: "noor" }, "agentName"],
  ["no arguments", undefined, ""],
])("[I8] %s is refused, and what was there stays", async (_, given, path) => {
  const store = canvasStore({ folder });
  await store.update("mara", { html: "kept" });
  await expect(store.update("mara", given)).rejects.toMatchObject({ code: "CanvasRefused", path });
  expect(await store.get("mara")).toMatchObject({ version: 1, html: "kept" });
});

test("[I8] 512 KiB to the byte are taken", async () => {
  const html = "x".repeat(512 * 1024);
  expect((await canvasStore({ folder }).update("mara", { html })).html).toBe(html);
});

test("[I8] agents whose names are hard on file systems have canvases of their own", async () => {
  const store = canvasStore({ folder });
  const names = [
    "..",
    ".",
    "/",
    "a/b",
    "a\\b",
    "con",
    "资料",
    "a".repeat(500),
    `${"a".repeat(500)}b`,
    "A",
    "a",
    "a:b",
    "",
    "\0",
  ];
  for (const name of names) await store.update(name, { html: `of ${JSON.stringify(name)}` });
  for (const name of names) expect((await store.get(name))?.agentName).toBe(name);
  expect(globSync("*", { cwd: folder })).toHaveLength(names.length);
});

test("[I8] scripts do not even reach the disk; a file that was written by hand is disarmed when it is read", async () => {
  const store = canvasStore({ folder });
  await store.update("mara", { html: "<p>a<script>x()</script><link rel=preconnect href=//x></p>" });
  const [file = ""] = globSync("*/1.json", { cwd: folder });
  const text = readFileSync(join(folder, file), "utf8");
  expect(text).not.toMatch(/script|preconnect/);
  writeFileSync(join(folder, file), text.replace("<p>a", "<p>a<script>y()</script>"));
  expect((await store.get("mara"))?.html).toBe("<p>a</p>");
});

test("[I8] the last versions are kept, older ones and drafts of a dead process go", async () => {
  const store = canvasStore({ folder, keptVersions: 3 });
  await store.update("mara", { html: "1" });
  const [own = ""] = globSync("*", { cwd: folder });
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeFileSync(join(folder, own, `.9.json.${pid}-1-abc.tmp`), "half of a");
  for (const html of ["2", "3", "4", "5"]) await store.update("mara", { html });
  expect(readdirSync(join(folder, own)).toSorted()).toEqual(["3.json", "4.json", "5.json"]);
});

test("[I8] a damaged file is told with its name", async () => {
  const store = canvasStore({ folder });
  await store.update("mara", { html: "1" });
  const [file = ""] = globSync("*/1.json", { cwd: folder });
  writeFileSync(join(folder, file), "{}");
  await expect(store.get("mara")).rejects.toMatchObject({ code: "FileUnreadable", path: join(folder, file) });
});

test("[I8] two processes at one canvas lose no version", async () => {
  const script = `
    import { canvasStore } from ${JSON.stringify(new URL("canvas-store.ts", import.meta.url).href)};
    const store = canvasStore({ folder: ${JSON.stringify(folder)}, keptVersions: 1000 });
    for (let index = 0; index < 40; index += 1) await store.update("mara", { html: process.pid + " " + index });`;
  const children = [1, 2].map(() =>
    spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "inherit" }),
  );
  const codes = await Promise.all(children.map(async (child) => ((await once(child, "exit")) as [number])[0]));
  expect(codes).toEqual([0, 0]);
  const files = globSync("*/*", { cwd: folder });
  const htmls = files.map((file) => (JSON.parse(readFileSync(join(folder, file), "utf8")) as { html: string }).html);
  expect(new Set(htmls).size).toBe(80);
  expect((await canvasStore({ folder }).get("mara"))?.version).toBe(80);
});
