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
import { definitionOf } from "../../config/providers/tool-definition.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";

const smallAgentFile = fileURLToPath(new URL("../../agents/testing/small-agent.ts", import.meta.url));

/** A sentence that system text of tests holds and nothing else does. */
export const systemSentence = "Galley says: answer in one line, and never name the colour 7c3aed.";

/** Who has called a tool. */
export interface ToolCaller {
  readonly id: string;
  readonly agent: string;
}

/** The tool of tests: says back what it was told, and who asked. */
export function echoTool(calls: ToolCaller[] = []): Tool {
  return defineTool({
    name: "galley_echo",
    description: "Says a text back.",
    inputSchema: z.strictObject({ text: z.string().max(1000) }),
    rpcMethod: "test.echo",
    execute: ({ text }, { caller: id, place: { name: agent } }) => {
      calls.push({ id, agent });
      return { echo: text, agent };
    },
  });
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
  readonly tools?: readonly Tool[];
}

const testProviders: readonly ContextProvider[] = [
  new CoreContextProvider(),
  { name: "rules", getSystemContext: () => systemSentence },
];

/** A host with the echo tool in a folder of its own; it is closed when the test ends. */
export async function testHost(
  agents: readonly AgentDeclaration[],
  { providers = testProviders, tools: given, ...options }: TestHostOptions = {},
): Promise<TestHost> {
  const dataFolder = mkdtempSync(join(tmpdir(), "galley-host-"));
  const tempFolder = mkdtempSync(join(tmpdir(), "galley-host-temp-"));
  const calls: ToolCaller[] = [];
  const { redactor = new Redactor() } = options;
  const tools = { name: "tools", getTools: () => (given ?? [echoTool(calls)]).map(definitionOf) };
  // With what was compiled for the agents before it, an agent starts in two thirds of the processor time.
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const host = await openAgentHost({
    agents: () => agents,
    folder: dataFolder,
    dataFolder,
    tempFolder,
    redactor,
    injectorFor: () => {
      const injector = new SessionContextInjector({ redact: redactor.redact });
      for (const provider of [...providers, tools]) injector.register(provider);
      return injector;
    },
    environment: { PATH, HOME, NODE_COMPILE_CACHE },
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
