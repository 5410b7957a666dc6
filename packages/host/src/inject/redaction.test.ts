import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { launcher } from "../../../../scripts/launcher.ts";
import { agentEnvironment, agentInjector } from "./agent-injector.ts";
import { canvasStore } from "./canvas/canvas-store.ts";
import { metaOf } from "../config/config-schema.ts";
import { HookEventBus } from "./session/hook-event-bus.ts";
import { agentNamed, loadConfig } from "../config/load-config.ts";
import { Redactor } from "../secrets/redactor.ts";
import { SessionTokenStore } from "./session/session-token-store.ts";

const secret = 'sk-planted/"7f3a"\n=资';

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-redaction-"));
  const env = { API_KEY: "${PLANTED}", LITERAL: "literal-value-in-the-file" };
  const providers = [
    { type: "mcp" },
    { type: "rules", file: "RULES.md" },
    { type: "rules", name: "gone", file: `missing-${encodeURIComponent(secret)}.md` },
  ];
  put("galley.config.json", { agents: [{ name: "mara", command: "x", env, providers }] });
  put("RULES.md", `Never say ${secret}, nor literal-value-in-the-file.`);
  put(".mcp.json", {
    mcpServers: {
      a: { command: "x", args: ["--key", "${PLANTED}"], env: { ONE: "mcp-env-value" } },
      b: { type: "http", url: "https://b/${PLANTED}", headers: { "X-Key": "mcp-header-value" } },
    },
  });
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(name: string, content: unknown): void {
  writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
}

/** Every form in which the secrets could be read out of something that was written. */
function leaksIn(written: string, ...more: readonly string[]): string[] {
  const plain = [secret, "literal-value-in-the-file", "mcp-env-value", "mcp-header-value", ...more];
  const forms = plain.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    JSON.stringify(JSON.stringify(value)).slice(3, -3),
  ]);
  return forms.filter((form) => written.includes(form));
}

test.each([["--json"], []])("[P6] the command prints no secret (%s)", (...flags) => {
  const run = spawnSync(process.execPath, [launcher, "inject", "show", "mara", "--config", folder, ...flags], {
    encoding: "utf8",
    env: { ...process.env, PLANTED: secret },
  });
  expect(run.status).toBe(0);
  expect(run.stdout).toContain("‹secret:");
  expect(run.stdout).toContain("X-Key");
  expect(leaksIn(run.stdout + run.stderr)).toEqual([]);
  expect(run.stdout).not.toMatch(/[0-9a-f]{64}/);
});

test("[P6] nor does an error quote the file that it cannot read", () => {
  for (const name of ["galley.config.json", ".mcp.json"]) {
    put(name, readFileSync(join(folder, name), "utf8").replace("value", "value\u0001"));
    const run = spawnSync(process.execPath, [launcher, "inject", "show", "mara", "--config", folder], {
      encoding: "utf8",
      env: { ...process.env, PLANTED: secret },
    });
    expect(run.stdout + run.stderr).toContain("is not valid JSON");
    expect(leaksIn(run.stdout + run.stderr)).toEqual([]);
    expect(run.stdout + run.stderr).not.toContain("literal-va");
    put(name, name === ".mcp.json" ? "{}" : { agents: [{ name: "mara", command: "x", providers: [{ type: "mcp" }] }] });
  }
});

test("[P6] events, provider states, errors and canvases hold no token and no value of the environment", async () => {
  const config = await loadConfig(folder);
  const agent = agentNamed(config, "mara");
  const redactor = new Redactor();
  const tokens = new SessionTokenStore();
  redactor.watch(tokens);
  const bus = new HookEventBus({ redact: redactor.redact });
  const written: unknown[] = [];
  bus.on("*", (event) => written.push(event));
  const options = { redactor, environment: { PLANTED: secret } };
  expect(agentEnvironment(agent, options)).toEqual({ API_KEY: secret, LITERAL: "literal-value-in-the-file" });
  const injector = agentInjector(config, agent, options);
  injector.setEventBus(bus);
  injector.setTokenStore(tokens);
  const { token, ...context } = await injector.prepare("mara", metaOf(agent), "s1");
  // What the agent itself is given holds them: that is what they are for.
  expect(leaksIn(JSON.stringify(context), token)).not.toEqual([]);
  expect(context.providers).toContainEqual(expect.objectContaining({ name: "gone", status: "unavailable" }));
  written.push(context.providers);
  injector.register({
    name: "fails",
    required: true,
    getTools: () => Promise.reject(new Error(`with ${secret} ${token}`)),
  });
  written.push(JSON.stringify(await injector.prepare("mara", metaOf(agent), "s2").catch((error: unknown) => error)));
  tokens.revokeAgent("mara");
  const store = canvasStore({ folder: join(folder, "canvas"), eventBus: bus, redact: redactor.redact });
  written.push(await store.update("mara", { html: `<p>${token} ${secret}</p>`, title: `my token ${token}` }));
  written.push(
    bus.emit("tool:called", { agentName: "mara", data: { args: { [token]: [secret, { url: `?t=${token}` }] } } }),
  );
  const files = globSync("canvas/**", { cwd: folder }).filter((file) => statSync(join(folder, file)).isFile());
  expect(files.length).toBeGreaterThan(0);
  const all =
    written.map((item) => JSON.stringify(item)).join("\n") +
    files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  expect(all).toContain("‹secret:token:mara›");
  expect(leaksIn(all, token)).toEqual([]);
});

test("[P6] short values do not change the names of fields, and values that are too short are left", () => {
  const redactor = new Redactor();
  redactor.addAll([
    { name: "ROLE", value: "agent" },
    { name: "FLAG", value: "1" },
  ]);
  expect(redactor.redact({ agentName: "an agent", count: 1, list: ["1"] })).toEqual({
    agentName: "an ‹secret:ROLE›",
    count: 1,
    list: ["1"],
  });
});

test("[P6] two values of one name are both masked, and told apart", () => {
  const redactor = new Redactor();
  redactor.add("KEY", "first-value");
  redactor.add("KEY", "second-value");
  redactor.add("OTHER", "first-value");
  expect(redactor.redact("first-value second-value")).toBe("‹secret:KEY› ‹secret:KEY~2›");
});
