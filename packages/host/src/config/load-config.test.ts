import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { defaultLimits } from "./time-limits.ts";
import { agentNamed, loadConfig } from "./load-config.ts";

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-config-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

const mara = { name: "mara", command: "claude-agent-acp" };

test("an agent is declared with a name and a command; all else has defaults", async () => {
  const config = await loadConfig(folderWith({ "galley.config.json": { agents: [mara] } }));
  expect(config.agents).toEqual([
    {
      ...mara,
      archetype: "service",
      backendType: "generic",
      args: [],
      env: {},
      workspacePolicy: "persistent",
      launchMode: "managed",
      permissions: "ask",
      providers: [],
      withoutProviders: [],
    },
  ]);
  expect(agentNamed(config, "mara").command).toBe("claude-agent-acp");
  expect(() => agentNamed(config, "noor")).toThrow(
    expect.objectContaining({ code: "NotFound", hint: "It declares mara." }),
  );
});

test("galley.config.ts may hold types and providers of one's own, and is read again when it has changed", () => {
  const source = (name: string): string => `
    interface Own { readonly name: string }
    const own: Own & { getSystemContext(): string } = { name: "own", getSystemContext: () => "hello" };
    export default { agents: [{ name: "${name}", command: "x", providers: [own] }], providers: [{ type: "mcp" }] };`;
  const folder = folderWith({ "galley.config.ts": source("mara") });
  // In a process of its own: the test runner would compile the file, and users have no test runner.
  const script = `
    import { writeFileSync } from "node:fs";
    import { loadConfig } from ${JSON.stringify(new URL("load-config.ts", import.meta.url).href)};
    const first = await loadConfig(${JSON.stringify(folder)});
    writeFileSync(first.file, ${JSON.stringify(source("noor"))});
    const second = await loadConfig(${JSON.stringify(folder)});
    console.log(JSON.stringify([first.agents[0].name, second.agents[0].name, second.providers, second.agents[0].providers]));`;
  const run = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  expect(run.stderr).toBe("");
  expect(JSON.parse(run.stdout)).toEqual(["mara", "noor", [{ type: "mcp", file: ".mcp.json" }], [{ name: "own" }]]);
});

test.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]>([
  ["no file", {}, { code: "FileNotFound" }],
  ["two files", { "galley.config.json": {}, "galley.config.ts": "export default {}" }, { code: "ConfigInvalid" }],
  ["no JSON", { "galley.config.json": "{" }, { code: "InvalidJson" }],
  ["a list", { "galley.config.json": [] }, { code: "ConfigInvalid" }],
  [
    "a script that throws",
    { "galley.config.ts": "throw new Error('no')" },
    { code: "ConfigInvalid", message: expect.stringContaining("no") },
  ],
  [
    "no default export",
    { "galley.config.ts": "export const x = 1;" },
    { code: "ConfigInvalid", message: expect.stringContaining("default export") },
  ],
  ["no command", { "galley.config.json": { agents: [{ name: "mara" }] } }, { path: "agents[0].command" }],
  [
    "a name that is a path",
    { "galley.config.json": { agents: [{ ...mara, name: "../mara" }] } },
    { path: "agents[0].name" },
  ],
  [
    "an unknown archetype",
    { "galley.config.json": { agents: [{ ...mara, archetype: "boss" }] } },
    { path: "agents[0].archetype" },
  ],
  [
    "a field that does not exist",
    { "galley.config.json": { agents: [{ ...mara, permisions: "deny" }] } },
    { path: "agents[0].permisions", message: 'Unknown field "permisions".' },
  ],
  [
    "a provider of unknown type",
    { "galley.config.json": { providers: [{ type: "rule", file: "x" }] } },
    { path: "providers[0].type" },
  ],
  [
    "two agents of one name",
    { "galley.config.json": { agents: [mara, { ...mara, name: "Mara" }] } },
    { code: "DuplicateId", path: "agents[1].name" },
  ],
  [
    "an agent that is called like the person's own programs",
    { "galley.config.json": { agents: [mara, { ...mara, name: "Local" }] } },
    { code: "DuplicateId", path: "agents[1].name" },
  ],
  [
    "a provider whose type was forgotten",
    { "galley.config.json": { providers: [{ name: "rules", file: "x" }] } },
    { path: "providers[0].type", message: expect.stringContaining("'rules' | 'skills' | 'mcp'") },
  ],
  [
    "two providers of one name in one list",
    {
      "galley.config.json": {
        agents: [{ ...mara, providers: ["A.md", "B.md"].map((file) => ({ type: "rules", file })) }],
      },
    },
    { code: "DuplicateId", path: "agents[0].providers[1]" },
  ],
  [
    "a provider to do without that nobody has",
    { "galley.config.json": { agents: [{ ...mara, withoutProviders: ["canvass"] }] } },
    { path: "agents[0].withoutProviders[0]", hint: expect.stringContaining("canvas, chat") },
  ],
])("a configuration with %s is refused, with the place", async (_, files, expected) => {
  await expect(loadConfig(folderWith(files))).rejects.toMatchObject({ name: "GalleyError", ...expected });
});

test("[I3] an agent may do without every provider that is there without a declaration", async () => {
  const withoutProviders = ["core-identity", "canvas", "chat", "handover"];
  const { agents } = await loadConfig(
    folderWith({ "galley.config.json": { agents: [{ ...mara, withoutProviders }] } }),
  );
  expect(agents).toMatchObject([{ withoutProviders }]);
});

test("all problems are told at once", async () => {
  const broken = {
    agents: [
      { name: "a b", command: 1 },
      { ...mara, workspacePolicy: "none" },
    ],
    colour: "red",
  };
  const failed = loadConfig(folderWith({ "galley.config.json": broken }));
  const paths = ["agents[0].name", "agents[0].command", "agents[1].workspacePolicy", "colour"];
  await expect(failed).rejects.toMatchObject({ problems: paths.map((path) => expect.objectContaining({ path })) });
});

test("models are declared beside the agents; what is wrong there is told with its path, all at once", async () => {
  const models = {
    default: "house/qwen3",
    providers: [{ name: "house", baseUrl: "http://127.0.0.1:9/v1", apiKey: "${HOUSE_KEY}" }],
    overrides: { qwen3: { window: 32_000, tokenizer: "qwen" } },
  };
  const config = await loadConfig(folderWith({ "galley.config.json": { models } }));
  expect(config.models).toEqual({
    ...models,
    providers: [{ ...models.providers[0], type: "openai-compatible", headers: {}, models: [] }],
  });
  expect((await loadConfig(folderWith({ "galley.config.json": {} }))).models).toEqual({ providers: [] });

  const problemsOf = (value: unknown) =>
    loadConfig(folderWith({ "galley.config.json": { models: value } })).catch((error: unknown) => error);
  const wrong = {
    providers: [{ name: "demo" }, { name: "b", key: "x" }],
    overrides: { "gpt-4.1": { window: "many" } },
  };
  expect(await problemsOf(wrong)).toMatchObject({
    code: "ConfigInvalid",
    problems: expect.arrayContaining([
      expect.objectContaining({ path: "models.providers[0].name" }),
      expect.objectContaining({ path: "models.providers[1].key" }),
      expect.objectContaining({ path: expect.stringMatching(/^models\.overrides.*gpt-4\.1\.window/) as string }),
    ]) as unknown,
  });
  expect(await problemsOf({ providers: [{ name: "a" }, { name: "A" }] })).toMatchObject({
    code: "DuplicateId",
    path: "models.providers[1].name",
  });
});

test("limits are set one by one, the others keep their defaults; what cannot be one is told with its path", async () => {
  const { limits } = await loadConfig(folderWith({ "galley.config.json": { limits: { runLeaseMs: 2000 } } }));
  expect(limits).toEqual({ ...defaultLimits, runLeaseMs: 2000 });
  const wrong = { limits: { runLeaseMs: 0, toolGraceMs: 2 ** 31, agentStartMs: "soon", patience: 5 } };
  await expect(loadConfig(folderWith({ "galley.config.json": wrong }))).rejects.toMatchObject({
    code: "ConfigInvalid",
    problems: ["limits.runLeaseMs", "limits.toolGraceMs", "limits.agentStartMs", "limits.patience"].map(
      (path) => expect.objectContaining({ path }) as object,
    ),
  });
});
