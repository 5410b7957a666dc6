import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reachedFiles } from "./published-files.ts";

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
  const files = globSync("node_modules/{galley,@galley/engine}/**/*", { cwd: folder });
  expect(files.filter((name) => /\.(?:test|suite|test-\w+)\.|(?:^|\/)testing(?:\/|\.)/.test(name))).toEqual([]);
  for (const name of published) expect(readFileSync(join(folder, name), "utf8")).not.toContain(root);
});

interface Published {
  readonly keywords?: readonly string[];
  readonly engines?: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

test.each(["galley", "@galley/engine"])(
  "[J4] %s says what it is and on what it runs, and has no link that leads nowhere",
  (name) => {
    const place = join(folder, "node_modules", name);
    const { keywords, engines } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as Published;
    expect(keywords?.length).toBeGreaterThan(4);
    expect(engines?.node).toMatch(/^>=2/);
    const readme = readFileSync(join(place, "README.md"), "utf8");
    expect(readme).toContain(`# ${name}\n`);
    expect(readme.match(/\]\((?!https:)[^)]*\)/g)).toBeNull();
    expect(globSync("dist/*.js.map", { cwd: place }).length).toBeGreaterThan(10);
  },
);

function megabytes(...names: readonly string[]): number {
  const files = names.flatMap((name) => globSync(`node_modules/${name}/**/*`, { cwd: folder, withFileTypes: true }));
  return (
    files.reduce((sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0), 0) / 1e6
  );
}

test("[J4] what is installed is small", () => {
  const manifest = JSON.parse(
    readFileSync(join(folder, "node_modules/@galley/engine/package.json"), "utf8"),
  ) as Published;
  expect(megabytes("@galley/engine", ...Object.keys(manifest.dependencies))).toBeLessThan(15);
  // Both packages with all that they need. Most of it are the AI SDK and ACP.
  expect(megabytes(".")).toBeLessThan(70);
});

test.each(["galley", "@galley/engine"])("[J4] what the code and the types of %s name is installed with it", (name) => {
  const place = join(folder, "node_modules", name);
  const { dependencies } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as Published;
  const installed = new Set([name, ...Object.keys(dependencies)]);
  const programs = name === "galley" ? ["dist/main.js"] : [];
  const [code, types] = [reachedFiles(place, "default", programs), reachedFiles(place, "types")];
  expect([...code.packages].filter((each) => !installed.has(each))).toEqual([]);
  expect([...types.packages].filter((each) => !installed.has(each))).toEqual([]);
  expect(code.files.size).toBeGreaterThan(20);
  expect(types.files.size).toBe(globSync("dist/types/**/*.d.ts", { cwd: place }).length);
  // The licences of what was bundled come along.
  const licences = readFileSync(join(place, "LICENSES.txt"), "utf8");
  expect(licences).toContain(name === "galley" ? "kysely 0." : "zod 4.");
});

/** The files that an entry of the engine loads before anything is called. */
function loadedBy(entry: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const text = readFileSync(join(folder, "node_modules/@galley/engine/dist", entry), "utf8");
  for (const [, next = ""] of text.matchAll(/(?:^|;)(?:import|export)[^"';]*?"\.\/([^"]+)"/gm)) loadedBy(next, seen);
  return seen;
}

test("[J4] importing the engine loads few files, no vocabulary, and no log reader", () => {
  const loaded = [...loadedBy("index.js")];
  expect(loaded.some((name) => name.startsWith("zod"))).toBe(true);
  expect(loaded).toHaveLength(6);
  expect(loaded.filter((name) => /k_base|logs?-|model-data/.test(name))).toEqual([]);
});

test("[J4] a stack names our functions, and with source maps our files", () => {
  const code = 'import { fit } from "@galley/engine"; fit(null).catch((error) => console.log(error.stack));';
  const stack = (...flags: readonly string[]): string =>
    execFileSync(process.execPath, [...flags, "--input-type=module", "-e", code], { cwd: folder, encoding: "utf8" });
  expect(stack()).toMatch(/at checkObject|at fit \(/);
  expect(stack("--enable-source-maps")).toMatch(/at fit \(.*src\/plugs\/fit\.ts:\d+/);
});

test.each([
  ["node16", "node16"],
  ["esnext", "bundler"],
])("[J4] the engine's types hold without skipLibCheck, with module %s and resolution %s", (module, resolution) => {
  const entries = ["", "/ai-sdk", "/langchain", "/mastra", "/openai-agents", "/wire", "/proof", "/models", "/logs"];
  const imports = entries.map((entry, index) => `export * as n${index} from "@galley/engine${entry}";\n`).join("");
  const file = `types-${resolution}.ts`;
  writeFileSync(join(folder, file), imports);
  const options = ["--noEmit", "--strict", "--target", "es2023", "--module", module, "--moduleResolution", resolution];
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  const checked = spawnSync(join(root, "node_modules/.bin/tsc"), [...options, ...types, file], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(checked.stdout).toBe("");
});
