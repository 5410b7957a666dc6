import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "galley-packed-"));
let daemon: ChildProcess | undefined;

/** The versions of the lockfile: a test must not run what was published a minute ago. */
function pinned(): Readonly<Record<string, string>> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean; link?: boolean }>>;
  };
  const found = Object.entries(packages).flatMap(([place, { version, dev, link }]) => {
    const [, name] = /.*node_modules\/(.*)/.exec(place) ?? [];
    return name === undefined || dev || link || version === undefined ? [] : [[name, version] as const];
  });
  const byName = Map.groupBy(found, ([name]) => name);
  // What is there in several versions depends on who asks for it.
  return Object.fromEntries([...byName.values()].flatMap((all) => (all.length === 1 ? all : [])));
}

/** As somebody has it who installed the tarballs into an empty folder. */
beforeAll(() => {
  execFileSync(process.execPath, ["scripts/pack.ts"], { cwd: root, stdio: "pipe" });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", overrides: pinned() }));
  const tarballs = globSync("dist/npm/*.tgz", { cwd: root }).map((name) => join(root, name));
  const args = [
    "install",
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    ...tarballs,
  ];
  execFileSync("npm", args, { cwd: folder, stdio: "pipe" });
}, 240_000);

afterAll(() => {
  daemon?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

function npx(...args: readonly string[]): string {
  return execFileSync("npx", ["--no-install", "galley", ...args], { cwd: folder, encoding: "utf8" });
}

test("npx galley up from the tarball serves Studio, and the demo model answers in the demo workspace", async () => {
  expect(npx("--help")).toContain("galley [options] [command]");
  daemon = spawn("npx", ["--no-install", "galley", "up", "--port", "0", "--json"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: daemon.stdout ?? process.stdin })[Symbol.asyncIterator]();
  const { url, link } = JSON.parse((await lines.next()).value ?? "") as { readonly url: string; readonly link: string };
  const entered = await fetch(link, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const page = await (await fetch(url, { headers: { cookie, accept: "text/html" } })).text();
  expect(page).toContain("/assets/");
  const { token } = JSON.parse(readFileSync(join(folder, ".ship", "daemon.json"), "utf8")) as {
    readonly token: string;
  };
  const answer = await fetch(`${url}/api/runs`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ chat: "demo", model: "demo", input: "Hello from a tarball" }),
  });
  expect(await answer.text()).toContain('"type":"run:finished"');
  expect((await fetch(`${url}/docs`, { headers: { cookie, accept: "text/html" } })).status).toBe(200);
  npx("down");
}, 120_000);

test("the library and its types come with it", () => {
  writeFileSync(
    join(folder, "try.ts"),
    `import { openGalley, type GalleyTurn } from "galley";
     import { loadTokenizer } from "@galley/engine";
     import { AgentManager } from "galley/agents";
     import { openDaemon } from "galley/daemon";
     import { packContext } from "galley/handover";
     import { SessionContextInjector } from "galley/inject";
     import { openStore } from "galley/store";
     for (const one of [AgentManager, openDaemon, packContext, SessionContextInjector, openStore])
       if (typeof one !== "function") throw new TypeError("A sub-path of the package is empty.");
     const galley = await openGalley({ data: "own", config: false });
     const turn: GalleyTurn = await galley.turn({ chat: "a", model: "demo", input: "Where were we?" });
     await turn.commit({ assistant: "Here." });
     process.stdout.write(turn.digest + (await loadTokenizer("o200k_base")).count("three little words"));
     await galley.close();`,
  );
  const types = ["--noEmit", "--module", "nodenext", "--target", "es2024", "--strict", "--types", "node", "try.ts"];
  const typeRoots = ["--typeRoots", join(root, "node_modules/@types"), "--skipLibCheck"];
  const checked = spawnSync(join(root, "node_modules/.bin/tsc"), [...types, ...typeRoots], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(checked.stdout).toBe("");
  const out = execFileSync(process.execPath, ["try.ts"], { cwd: folder, encoding: "utf8" });
  expect(out).toMatch(/^[0-9a-f]{64}3$/);
});

test("nothing of the tests and no path of this machine is published", () => {
  const published = globSync("node_modules/{galley,@galley/engine}/dist/**/*.js", { cwd: folder });
  expect(published.length).toBeGreaterThan(80);
  expect(published.filter((name) => /\.(?:test|suite|test-support)\.js$|(?:^|\/)testing\//.test(name))).toEqual([]);
  for (const name of published) expect(readFileSync(join(folder, name), "utf8")).not.toContain(root);
});
