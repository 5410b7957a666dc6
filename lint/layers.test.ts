import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { diskUsers, houses, layerViolation } from "./layers.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const planted = mkdtempSync(join(tmpdir(), "galley-lint-"));
afterAll(() => rmSync(planted, { recursive: true }));

interface Planted {
  readonly path: string;
  readonly source: string;
}

const plants: Planted[] = [];

/** Plants a file at a path of a copy of the project; gives what the project's own lint says about it. */
function lint(path: string, source: string): () => string {
  const { dir, name, ext } = parse(path);
  // Several are planted in one folder.
  const own = name === "a" ? `${dir}/a${plants.length}${ext}` : path;
  plants.push({ path: own, source });
  return () => said.filter((line) => line.startsWith(`${own}:`)).join("\n");
}

let said: readonly string[];
// One run for all of them: starting it takes longer than reading them.
beforeAll(() => {
  for (const file of [".oxlintrc.json", "lint/layers.js"]) cpSync(join(root, file), join(planted, file));
  for (const { path, source } of plants) {
    mkdirSync(dirname(join(planted, path)), { recursive: true });
    writeFileSync(join(planted, path), source);
  }
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const args = [oxlint, "--format=unix", ...plants.map(({ path }) => path)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: planted, encoding: "utf8" });
  said = stdout.split("\n");
  if (stderr !== "") throw new Error(stderr);
});

const redCases = (
  [
    ["the engine imports Node", "packages/engine/src/model/a.ts", 'import "node:fs";', "galley(layers)"],
    ["model imports compose", "packages/engine/src/model/a.ts", 'import "../compose/preset.ts";', "galley(layers)"],
    ["the engine imports the host", "packages/engine/src/fit/a.ts", 'import "galley";', "galley(layers)"],
    [
      "the host reaches into the engine",
      "packages/host/src/cli/a.ts",
      'import "../../../engine/src/index.ts";',
      "galley(layers)",
    ],
    [
      "chat imports the command",
      "packages/host/src/chat/a.ts",
      'export { main } from "../cli/main.ts";',
      "galley(layers)",
    ],
    [
      "a room imports from one above it",
      "packages/host/src/turn/call/a.ts",
      'import "../run/loop.ts";',
      "galley(layers)",
    ],
    [
      "a room takes a type from one above it",
      "packages/host/src/daemon/http/a.ts",
      'import type { Held } from "../handlers/held-turns.ts"; export type A = Held;',
      "galley(layers)",
    ],
    [
      "a room imports what stands above all rooms of its floor",
      "packages/host/src/chat/lines/a.ts",
      'import "../open-chat.ts";',
      "galley(layers)",
    ],
    [
      "a source imports what is for tests",
      "packages/host/src/chat/a.ts",
      'import "./testing/temp-chat.ts";',
      "galley(layers)",
    ],
    [
      "a file outside of disk/ opens files by itself",
      "packages/host/src/chat/lines/a.ts",
      'import { readFileSync } from "node:fs"; export const a = readFileSync("x");',
      "galley(layers)",
    ],
    [
      "a file outside of disk/ opens a database by itself",
      "packages/host/src/store/database/a.ts",
      'import { DatabaseSync } from "node:sqlite"; export const a = new DatabaseSync("x");',
      "galley(layers)",
    ],
    [
      "Studio's kit imports its frame",
      "packages/studio/src/kit/a.tsx",
      'import "../frame/page.tsx";',
      "galley(layers)",
    ],
    ["a folder has no place", "packages/engine/src/misc/a.ts", 'import "../model/errors.ts";', "galley(layers)"],
    [
      "the engine reads the clock",
      "packages/engine/src/model/a.ts",
      "export const now = Date.now();",
      "no-restricted-globals",
    ],
    [
      "the engine rolls dice",
      "packages/engine/src/model/a.ts",
      "export const dice = Math.random();",
      "no-restricted-properties",
    ],
    ["a default export", "packages/host/src/cli/a.ts", "export default 1;", "no-default-export"],
    ["any", "packages/host/src/cli/a.ts", "export const a: any = 1;", "no-explicit-any"],
  ] as const
).map(([name, path, source, rule]) => ({ name, rule, about: lint(path, source) }));

test.each(redCases)("lint is red when $name", ({ rule, about }) => {
  expect(about()).toContain(rule);
});

const opening = 'import { readFileSync } from "node:fs"; export const a = readFileSync("x");';
const green = {
  "disk/": lint("packages/host/src/disk/a.ts", opening),
  "a file that is named": lint("packages/host/src/cli/input/files.ts", opening),
  types: lint(
    "packages/host/src/store/database/a.ts",
    'import type { DatabaseSync } from "node:sqlite"; export type A = DatabaseSync;',
  ),
  "what the floors allow": lint(
    "packages/engine/src/compose/a.ts",
    'export { GalleyError } from "../model/errors.ts";',
  ),
};

test.each(Object.entries(green))("lint is green for %s", (_, about) => {
  expect(about()).not.toContain("layers");
});

test("every file that may use the disk by itself is there, and does", () => {
  const usesDisk = (file: string): boolean =>
    readFileSync(join(root, "packages/host/src", file), "utf8").includes('from "node:fs');
  expect(Object.keys(diskUsers).filter((file) => !usesDisk(file))).toEqual([]);
});

test.each([
  ["packages/host/src/turn/run/loop.ts", "../../chat/lines/chat-line.ts", undefined],
  ["packages/host/src/turn/run/loop.ts", "../../daemon/http/access.ts", "turn/run may not import from daemon/http."],
  ["packages/host/src/turn/call/send.ts", "../run/loop.ts", "turn/call may not import from turn/run."],
  ["packages/host/src/turn/run/loop.ts", "../call/send.ts", undefined],
  ["packages/host/src/daemon/open-daemon.ts", "./http/access.ts", undefined],
  ["packages/host/src/daemon/http/access.ts", "../open-daemon.ts", "daemon/http may not import from daemon."],
  ["packages/host/src/chat/new-room/a.ts", "../chat.ts", "The folder chat/new-room has no place in lint/layers.js."],
  ["packages/engine/src/index.ts", "./wire/openai.ts", undefined],
  ["packages/engine/src/wire/openai.ts", "../fit/view.ts", "wire may not import from fit."],
  ["packages/engine/src/wire/gemini/export.ts", "../shared/segments.ts", undefined],
  [
    "packages/engine/src/wire/gemini/export.ts",
    "../anthropic/media.ts",
    "wire/gemini may not import from wire/anthropic.",
  ],
  ["packages/engine/src/fit/log/view.ts", "../window/open-reach.ts", "fit/log may not import from fit/window."],
  ["packages/engine/src/fit/log/view.test.ts", "../build.ts", undefined],
  ["packages/engine/src/fit/log/view.test.ts", "../../proof/replay.ts", "fit/log may not import from proof."],
  ["packages/studio/src/app.tsx", "@galley/engine", undefined],
  ["packages/studio/src/app.tsx", "galley", "studio may not import galley."],
  ["packages/studio/src/app.tsx", "galley/api", "studio may not import galley."],
  ["packages/studio/src/app.tsx", "galley/api/client", undefined],
  ["packages/studio/src/page-table.tsx", "./pages/compose/compose-page.tsx", undefined],
  ["packages/studio/src/frame/page.tsx", "../kit/button.tsx", undefined],
  ["packages/studio/src/kit/button.tsx", "../frame/page.tsx", "kit may not import from frame."],
  ["packages/studio/src/frame/page.tsx", "../pages/home/home-page.tsx", "frame may not import from pages/home."],
  ["packages/studio/src/message/message-list.tsx", "../frame/page.tsx", "message may not import from frame."],
  ["packages/studio/src/frame/page.tsx", "../app.tsx", "frame may not import from the package's index."],
  [
    "packages/studio/src/pages/nowhere/a.tsx",
    "../../kit/button.tsx",
    "The folder pages/nowhere has no place in lint/layers.js.",
  ],
  ["packages/studio/src/pages/compose/compose-page.tsx", "./editor/preset-editor.tsx", undefined],
  ["packages/studio/src/pages/compose/editor/preset-editor.tsx", "../state/editor-state.ts", undefined],
  ["packages/studio/src/pages/compose/editor/preset-editor.tsx", "../../../kit/button.tsx", undefined],
  [
    "packages/studio/src/pages/compose/state/editor-state.ts",
    "../editor/preset-editor.tsx",
    "pages/compose/state may not import from pages/compose/editor.",
  ],
  [
    "packages/studio/src/pages/compose/steps/step-row.tsx",
    "../compose-page.tsx",
    "pages/compose/steps may not import from pages/compose.",
  ],
  [
    "packages/studio/src/pages/inspect/call-page.tsx",
    "../compose/steps/strategy-tag.tsx",
    "pages/inspect may not import from pages/compose/steps.",
  ],
  [
    "packages/studio/src/pages/compose/cellar/a.ts",
    "../state/editor-state.ts",
    "The folder pages/compose/cellar has no place in lint/layers.js.",
  ],
  ["packages/host/src/chat/a.test.ts", "../../faults/claim-fault.ts", undefined],
  [
    "packages/host/src/chat/a.ts",
    "../../faults/claim-fault.ts",
    "../../faults/claim-fault.ts leaves the package's src folder.",
  ],
  ["packages/host/src/disk/a.test.ts", "../chat/testing/temp-chat.ts", undefined],
  ["packages/host/src/chat/a.ts", "./testing/temp-chat.ts", "./testing/temp-chat.ts is only for tests."],
  ["packages/engine/src/model/a.ts", "../index.ts", "model may not import from the package's index."],
])("%s imports %s", (file, specifier, expected) => {
  expect(layerViolation(file, specifier)).toBe(expected);
});

test.each(Object.entries(houses))(
  "the floors of %s only name floors and rooms that come before them",
  (_, { floors }) => {
    const names = Object.keys(floors);
    for (const [place, { below, rooms = {} }] of Object.values(floors).entries()) {
      expect(names.slice(0, place)).toEqual(expect.arrayContaining([...below]));
      for (const [at, allowed] of Object.values(rooms).entries()) {
        expect(Object.keys(rooms).slice(0, at)).toEqual(expect.arrayContaining([...allowed]));
      }
    }
  },
);

const typed = lint("packages/studio/src/a.ts", 'import type { RouteName } from "galley/api";');
const valued = lint("packages/studio/src/a.ts", 'import { routes } from "galley/api"; routes;');

test("Studio may know the shapes of the wire, and only as types", () => {
  expect(layerViolation("packages/studio/src/app.tsx", "galley/api", true)).toBeUndefined();
  expect(layerViolation("packages/studio/src/app.tsx", "galley", true)).toBe("studio may not import galley.");
  expect(typed()).not.toContain("layers");
  expect(valued()).toContain("layers");
});

const circle = [
  lint("packages/engine/src/model/first.ts", 'import type { B } from "./second.ts"; export type A = B;'),
  lint("packages/engine/src/model/second.ts", 'export type { C as B } from "./third.ts";'),
  lint("packages/engine/src/model/third.ts", 'import { type A } from "./first.ts"; export type C = A | 1;'),
];
const besideIt = lint("packages/engine/src/model/fourth.ts", 'import "./first.ts";');

test("a circle of files is found, even one of types only", () => {
  for (const finding of circle) expect(finding()).toContain("import(no-cycle)");
  expect(besideIt()).toBe("");
});
