import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemTextLaunch } from "./system-text-delivery.ts";

const root = mkdtempSync(join(tmpdir(), "galley-text-"));
afterAll(() => rmSync(root, { recursive: true }));
const folderFor = (name: string): string => (mkdirSync(join(root, name)), join(root, name));
const text = 'Be "brief".\nAnd kind.';

describe("[I9] system text goes the way that the backend takes it", () => {
  test.each(["claude-code", "codex", "generic", "constructor"])("%s is told by its session", async (backendType) => {
    expect(await systemTextLaunch(backendType, text, { folder: root, env: {} })).toBeUndefined();
  });

  test.each([
    ["qwen", ["--append-system-prompt", text]],
    ["qwen-code", ["--append-system-prompt", text]],
    ["codex-zed", ["-c", 'developer_instructions="Be \\"brief\\".\\nAnd kind."']],
  ])("%s takes an argument", async (backendType, args) => {
    expect(await systemTextLaunch(backendType, text, { folder: root, env: {} })).toEqual({
      way: "argument",
      args,
      env: {},
    });
  });

  test("opencode takes a file beside those of the user's own configuration", async () => {
    const env = { OPENCODE_CONFIG_CONTENT: '{"model":"m","instructions":["own.md"]}' };
    const folder = folderFor("opencode");
    const launch = await systemTextLaunch("opencode", text, { folder, env });
    const config = JSON.parse(launch?.env["OPENCODE_CONFIG_CONTENT"] ?? "") as {
      model: string;
      instructions: string[];
    };
    expect(config).toEqual({ model: "m", instructions: ["own.md", join(folder, "instructions.md")] });
    expect(readFileSync(config.instructions[1] ?? "", "utf8")).toBe(text);
  });

  test("a configuration of the user's that is not JSON is reported, not lost", async () => {
    const env = { OPENCODE_CONFIG_CONTENT: "{" };
    await expect(systemTextLaunch("opencode", text, { folder: root, env })).rejects.toMatchObject({
      code: "ConfigInvalid",
    });
  });

  test.each([
    ["gemini", "GEMINI_CLI_HOME", ".gemini", ".gemini", "GEMINI.md"],
    ["kimi", "KIMI_CODE_HOME", ".kimi-code", "", "AGENTS.md"],
    ["copilot", "COPILOT_HOME", ".copilot", "", "copilot-instructions.md"],
  ])("%s gets a home in which all is the user's but one file", async (backend, variable, own, path, file) => {
    const home = folderFor(`${backend}-home`);
    mkdirSync(join(home, own));
    writeFileSync(join(home, own, "login.json"), "secret");
    writeFileSync(join(home, own, file), "My own rules.");
    const launch = await systemTextLaunch(backend, text, { folder: folderFor(backend), env: { HOME: home } });
    const shadow = join(launch?.env[variable] ?? "", path);
    expect(readFileSync(join(shadow, file), "utf8")).toBe(`My own rules.\n\n${text}`);
    expect(readFileSync(join(shadow, "login.json"), "utf8")).toBe("secret");
    expect(readFileSync(join(home, own, file), "utf8")).toBe("My own rules.");
  });

  test("no text, no way", async () => {
    expect(await systemTextLaunch("qwen", "", { folder: root, env: {} })).toBeUndefined();
  });
});
