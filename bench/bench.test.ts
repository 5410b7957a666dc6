import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isGroupAlive } from "../packages/host/src/agents/process-group.ts";
import { claimRow, gapsOf } from "./claim.ts";
import { withFigures } from "./growth-page.ts";
import { growthPlot } from "./growth-plot.ts";
import { figures } from "./markdown-table.ts";
import { chinese, withNumbers } from "./readme-table.ts";
import { keptReports, withLoops } from "./results.ts";
import { runLimited } from "./run-limited.ts";
import { suites } from "./suites.ts";

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path: string): string => readFileSync(at(path), "utf8");

test("the page of promises names suites and tests that exist, and leaves no suite out", () => {
  const page = read("bench/README.md");
  const named = [...page.matchAll(/suites? ((?:`[\w-]+`(?:, )?)+)/g)].flatMap(
    ([, list = ""]) => list.match(/[\w-]+/g) ?? [],
  );
  expect(new Set(named)).toEqual(new Set(Object.keys(suites)));
  const files = [...page.matchAll(/`((?:packages|scripts)\/[^`]+)`/g)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !existsSync(at(file)))).toEqual([]);
});

/** The modules of this folder that a module loads, itself included. */
function loadedBy(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, next = ""] of read(`bench/${file}`).matchAll(/^import (?!type ).*?from "\.\/([\w-]+\.ts)"/gms))
    loadedBy(next, found);
  return found;
}

test("a suite that loads a peer says so, or its packages would not be installed for it", () => {
  const modules = [...read("bench/suites.ts").matchAll(/^ {2}"?([\w-]+)"?: \{.*?import\("\.\/([\w-]+\.ts)"\)/gms)];
  expect(modules.map(([, name]) => name)).toEqual(Object.keys(suites));
  const withPeers = modules.filter(([, , file = ""]) => {
    const loaded = loadedBy(file);
    return loaded.has("peer-modules.ts") || loaded.has("token-libraries.ts");
  });
  const marked = Object.keys(suites).filter((name) => suites[name]?.needsPeers);
  expect(withPeers.map(([, name]) => name)).toEqual(marked);
});

test.skipIf(process.platform === "win32")("a suite that hangs is ended with what it has started", async () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-hanging-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hang = "setInterval(() => {}, 1000)";
  const start = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(hang)}])`;
  const file = join(folder, "group");
  const script = `${start}; require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); ${hang}`;
  // The limit may be over before it has begun: then it gets more time.
  for (const limit of [3000, 20_000, 100_000]) {
    expect(await runLimited(["-e", script], limit)).toEqual({ status: null, signal: "SIGKILL" });
    if (existsSync(file)) break;
  }
  const group = Number(readFileSync(file, "utf8"));
  await expect.poll(() => isGroupAlive(group)).toBe(false);
  expect(await runLimited(["-e", "process.exit(3)"], 60_000)).toEqual({ status: 3, signal: null });
});

const claim = { claim: "a turn", against: "a peer", peer: "1 ms", own: "2 ms", ratio: 2 };

test("a promise that is not kept says so with its reason; a figure without a promise does not", () => {
  const missed = { ...claim, limit: 1.5, gap: "It is known why." };
  expect(claimRow(missed)).toMatchObject({ ratio: "2", promised: "≤ 1.5", kept: "NO" });
  expect(gapsOf([claim, { ...claim, limit: 2 }, { ...claim, least: 2 }, missed], 0.2)).toEqual([
    "a turn, against a peer: It is known why.",
  ]);
  expect(gapsOf([missed], 9)[0]).toContain("load 9.0");
  expect(claimRow(claim)).toMatchObject({ promised: "–", kept: "" });
});

test("the plot has a name, a description, and every line with every point", () => {
  const sizes = [100, 1000, 10_000];
  const svg = growthPlot([
    { name: "flat & fast", what: "", points: sizes.map((size) => ({ size, time: 0.05 })) },
    { name: "in proportion", what: "", points: sizes.map((size) => ({ size, time: size / 10 })) },
  ]);
  expect(svg).toMatch(/^<svg [^>]*role="img" aria-labelledby="title desc"/);
  expect(svg).toContain("<title id=");
  expect(svg).toContain("flat &amp; fast: 0.05 ms at 100, 0.05 ms at 10,000");
  expect(svg.match(/class="line /g)).toHaveLength(2);
  expect(svg.match(/<path class="f\d" transform/g)).toHaveLength(6);
  const numbers = [...svg.matchAll(/translate\(([\d.-]+) ([\d.-]+)\)/g)].flatMap(([, x, y]) => [Number(x), Number(y)]);
  expect(numbers.every((number) => number >= 0 && number <= 760)).toBe(true);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
});

test("figures go between the marks of the page, in the place of those before, and nowhere else", () => {
  const page = read("docs/performance.md");
  const written = withFigures(withFigures(page, "| one |"), "| two |");
  expect(written).toContain("| two |");
  expect(written).not.toContain("| one |");
  expect(written.split("<!--")[0]).toBe(page.split("<!--")[0]);
  expect(written.split("-->").at(-1)).toBe(page.split("-->").at(-1));
  expect(() => withFigures("no marks", "| one |")).toThrow("marks");
});

test("both READMEs, RESULTS.md and the page about plugs say what the last run has measured", () => {
  const reports = keptReports(suites);
  const plugs = read("docs/recipes/plugs.md");
  expect(withLoops(plugs, reports["plugs"] ?? { notes: [], claims: [] })).toBe(plugs);
  for (const [name, words] of [["README.md"], ["README.zh-CN.md", chinese]] as const) {
    const page = read(name);
    expect(withNumbers(page, reports, words)).toBe(page);
  }
  const results = read("bench/RESULTS.md");
  for (const { claims } of Object.values(reports)) {
    for (const claim of claims)
      expect(results).toContain(
        figures([claimRow(claim)])
          .split("\n")
          .at(-1),
      );
  }
});
