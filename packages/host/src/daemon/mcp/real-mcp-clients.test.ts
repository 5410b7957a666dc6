import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { launcher } from "../../../../../scripts/launcher.ts";
import { echoTool, smallAgent, testHost } from "../testing/temp-agent-host.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { localServer } from "../http/local-server.ts";
import { toolRoutes } from "../rpc/tool-routes.ts";

/** Where `npm run test:agents` has installed them. */
const installed = process.env["GALLEY_AGENTS"];
const run = promisify(execFile);
const program = (name: string, bin: string): string => join(installed ?? "", name, "node_modules", ".bin", bin);

/** What the conformance suite expects a server under test to have. */
const fixtures = [
  defineTool({
    name: "test_simple_text",
    description: "Gives a text.",
    inputSchema: z.object({}),
    scope: "all",
    execute: () => "This is a simple text response for testing.",
  }),
  defineTool({
    name: "test_error_handling",
    description: "Fails.",
    inputSchema: z.object({}),
    scope: "all",
    execute: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Has a schema of the newest kind.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
    scope: "all",
    execute: () => "",
  }),
];

/** Scenarios of features that Galley does not have, and why. */
const expectedFailures: Readonly<Record<string, readonly string[]>> = {
  "The server keeps no MCP sessions: the token says who asks, and each request stands alone.": ["server-sse-polling"],
  "The server has tools only: what a model may read comes with the session's own context.": [
    "resources-list",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "completion-complete",
  ],
  "Tools give text and data; none of them gives pictures, sounds or resources.": [
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
  ],
  "Tools answer at once: they neither log nor report progress, and do not ask back.": [
    "logging-set-level",
    "tools-call-with-logging",
    "tools-call-with-progress",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
  ],
};

describe.skipIf(installed === undefined)("[I10] real MCP clients", { timeout: 300_000 }, () => {
  test("the conformance suite passes but for what we do not have", async () => {
    const { toolHost, tokenStore } = await testHost([smallAgent()], { tools: fixtures });
    const routes = toolRoutes(toolHost);
    const token = tokenStore.generate("mara", "conformance");
    toolHost.grant("conformance", fixtures);
    // The suite knows no tokens: it goes through a door that puts ours on.
    const server = await localServer((request) => {
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${token}`);
      return routes.app.fetch(new Request(request, { headers }));
    });
    const folder = mkdtempSync(join(tmpdir(), "galley-conformance-"));
    onTestFinished(async () => {
      await routes.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const baseline = join(folder, "expected.yml");
    writeFileSync(baseline, JSON.stringify({ server: Object.values(expectedFailures).flat() }));
    const args = [
      "server",
      "--url",
      `${server.url}/mcp`,
      "--suite",
      "all",
      "--expected-failures",
      baseline,
      "-o",
      folder,
    ];
    // It ends with an error when a scenario fails that is not listed, and also when one passes that is.
    const { stdout } = await run(program("conformance", "conformance"), args);
    for (const passed of [
      "server-initialize",
      "ping",
      "tools-list",
      "tools-call-simple-text",
      "tools-call-error",
      "json-schema-2020-12",
      "dns-rebinding-protection",
    ]) {
      expect(stdout).toMatch(new RegExp(`✓ ${passed}: [1-9]\\d* passed, 0 failed`));
    }
  });

  interface Inspected {
    readonly tools?: readonly { readonly name: string }[];
    readonly structuredContent?: unknown;
  }

  async function inspect(target: readonly string[], env: Record<string, string> = {}): Promise<Inspected> {
    const home = mkdtempSync(join(tmpdir(), "galley-inspector-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const { stdout } = await run(
      program("inspector", "mcp-inspector"),
      ["--cli", ...target, "--format", "json", "--quiet"],
      {
        env: { ...process.env, ...env, HOME: home },
      },
    );
    return (JSON.parse(stdout) as { readonly result: Inspected }).result;
  }

  const list = ["--method", "tools/list"];
  const call = ["--method", "tools/call", "--tool-name", "galley_echo", "--tool-arg", "text=hi"];

  test.each(["legacy", "modern"])("the inspector lists and calls our tools over HTTP (%s protocol)", async (era) => {
    const { tokenStore, toolHost, mcpUrl } = await testHost([smallAgent()]);
    toolHost.grant("inspector", [echoTool()]);
    const header = `Authorization: Bearer ${tokenStore.generate("mara", "inspector")}`;
    const target = [mcpUrl, "--header", header, "--transport", "http", "--protocol-era", era];
    expect((await inspect([...target, ...list])).tools?.map(({ name }) => name)).toEqual(["galley_echo"]);
    expect((await inspect([...target, ...call])).structuredContent).toEqual({ echo: "hi", agent: "mara" });
    await expect(inspect([mcpUrl, "--transport", "http", "--stored-auth-only", ...list])).rejects.toThrow(/401|auth/i);
  });

  test("the inspector puts a topic away, and reads it as a resource and as a prompt", async () => {
    const data = mkdtempSync(join(tmpdir(), "galley-topics-"));
    onTestFinished(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
    const ask = async (...method: readonly string[]): Promise<string> =>
      JSON.stringify(await inspect([process.execPath, launcher, "mcp", "--data", data, "--method", ...method]));
    const put = await ask("tools/call", "--tool-name", "chat_context_new", "--tool-arg", "note=Plant beans.");
    const [contextId = ""] = /c_\d{8}_[0-9a-f]+/.exec(put) ?? [];
    expect(await ask("resources/list")).toContain(`galley://chat/agent%3Alocal/${contextId}`);
    expect(await ask("resources/read", "--uri", `galley://chat/agent%3Alocal/${contextId}`)).toContain("Plant beans.");
    expect(await ask("prompts/get", "--prompt-name", "resume_topic", "--prompt-args", "topic=beans")).toContain(
      "Plant beans.",
    );
  });

  test("the inspector lists and calls them over stdio, by way of galley mcp", async () => {
    const { tokenStore, toolHost, mcpUrl } = await testHost([smallAgent()]);
    toolHost.grant("inspector", [echoTool()]);
    const token = tokenStore.generate("mara", "inspector");
    const target = [
      process.execPath,
      launcher,
      "mcp",
      "-e",
      `GALLEY_SESSION_TOKEN=${token}`,
      "-e",
      `GALLEY_MCP_URL=${mcpUrl}`,
    ];
    expect((await inspect([...target, ...list])).tools?.map(({ name }) => name)).toEqual(["galley_echo"]);
    expect((await inspect([...target, ...call])).structuredContent).toEqual({ echo: "hi", agent: "mara" });
  });
});
