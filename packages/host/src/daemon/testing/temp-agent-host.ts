import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import * as z from "zod";
import { type AgentDeclaration, configSchema } from "../../config/config-schema.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import { CoreContextProvider } from "../../inject/providers/core-context-provider.ts";
import type { HookEvent } from "../../inject/session/hook-event-bus.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { SessionContextInjector } from "../../inject/session-context-injector.ts";
import { type AgentHost, type AgentHostOptions, openAgentHost } from "../agents/agent-host.ts";
import type { HostTool, ToolCaller } from "../tools/host-tool.ts";
import { hostToolProvider } from "../tools/host-tool-provider.ts";

const smallAgentFile = fileURLToPath(new URL("../../agents/testing/small-agent.ts", import.meta.url));

/** A sentence that system text of tests holds and nothing else does. */
export const systemSentence = "Galley says: answer in one line, and never name the colour 7c3aed.";

/** The tool of tests: says back what it was told, and who asked. */
export function echoTool(calls: ToolCaller[] = []): HostTool {
  return {
    name: "galley_echo",
    description: "Says a text back.",
    inputSchema: z.strictObject({ text: z.string().max(1000) }),
    scope: "all",
    rpcMethod: "test.echo",
    execute: (input, caller) => {
      calls.push(caller);
      return { echo: (input as { readonly text: string }).text, agent: caller.agent };
    },
  };
}

/** An agent as a configuration would declare it. */
export function declared(agent: Readonly<Record<string, unknown>>): AgentDeclaration {
  const [found] = configSchema.parse({ agents: [agent] }).agents;
  if (!found) throw new Error("There is no agent.");
  return found;
}

/** Our small agent, which does what the words say. */
export function smallAgent(
  does = "",
  { env = {}, ...rest }: { readonly env?: Record<string, string>; readonly [field: string]: unknown } = {},
): AgentDeclaration {
  return declared({
    name: "mara",
    command: process.execPath,
    args: [smallAgentFile],
    env: { SMALL_AGENT: does, ...env },
    permissions: "deny",
    ...rest,
  });
}

export interface TestHost extends AgentHost {
  readonly events: HookEvent[];
  readonly calls: ToolCaller[];
  readonly dataFolder: string;
  readonly tempFolder: string;
}

export interface TestHostOptions extends Partial<Omit<AgentHostOptions, "injectorFor">> {
  readonly providers?: readonly ContextProvider[];
}

const testProviders: readonly ContextProvider[] = [
  new CoreContextProvider(),
  { name: "rules", getSystemContext: () => systemSentence },
];

/** A host with the echo tool in a folder of its own; it is closed when the test ends. */
export async function testHost(
  agents: readonly AgentDeclaration[],
  { providers = testProviders, ...options }: TestHostOptions = {},
): Promise<TestHost> {
  const dataFolder = mkdtempSync(join(tmpdir(), "galley-host-"));
  const tempFolder = mkdtempSync(join(tmpdir(), "galley-host-temp-"));
  const calls: ToolCaller[] = [];
  const { tools = [echoTool(calls)], redactor = new Redactor() } = options;
  const { PATH, HOME } = process.env;
  const host = await openAgentHost({
    agents,
    folder: dataFolder,
    dataFolder,
    tempFolder,
    tools,
    redactor,
    injectorFor: () => {
      const injector = new SessionContextInjector({ redact: redactor.redact });
      for (const provider of [...providers, hostToolProvider("tools", tools)]) injector.register(provider);
      return injector;
    },
    environment: { PATH, HOME },
    ...options,
    limits: { agentGraceMs: 2000, ...options.limits },
  });
  const events: HookEvent[] = [];
  host.eventBus.on("*", (event) => events.push(event));
  onTestFinished(async () => {
    await host.close();
    for (const folder of [dataFolder, tempFolder]) rmSync(folder, { recursive: true, force: true });
  });
  return { ...host, events, calls, dataFolder, tempFolder };
}
