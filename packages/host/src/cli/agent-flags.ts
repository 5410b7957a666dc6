import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import type { PermissionRequest } from "../agent/permission-policy.ts";
import { type AgentHost, openAgentHost } from "../daemon/agent-host.ts";
import { projectInjector, projectTools } from "../daemon/project-tools.ts";
import { HookEventBus } from "../inject/hook-event-bus.ts";
import { type LoadedConfig, loadConfig } from "../inject/load-config.ts";
import { Redactor } from "../inject/redactor.ts";
import { dataOption } from "./data-folder.ts";
import { onOneLine } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export interface AgentFlags {
  readonly config: string;
  readonly data: string;
  readonly json?: boolean;
}

/** The flags that all commands about agents share. */
export function addAgentFlags(command: Command): Command {
  return command
    .option("--config <folder>", "the folder of galley.config.ts or galley.config.json", ".")
    .addOption(dataOption());
}

/** Everything that the agents of a project need in order to run. */
export async function openProject(
  flags: AgentFlags,
  terminal: Terminal,
): Promise<{ readonly config: LoadedConfig; readonly host: AgentHost }> {
  const config = await loadConfig(flags.config);
  const dataFolder = resolve(flags.data);
  const redactor = new Redactor();
  const eventBus = new HookEventBus({ redact: redactor.redact });
  const tools = await projectTools({ dataFolder, eventBus, redactor, config });
  const host = await openAgentHost({
    agents: config.agents,
    folder: config.folder,
    dataFolder,
    redactor,
    eventBus,
    tools,
    injectorFor: (agent) => projectInjector(config, agent, tools, redactor),
    ...(process.stdin.isTTY && terminal.isTerminal
      ? { ask: (request: PermissionRequest) => askOnTerminal(request, terminal) }
      : {}),
  });
  return { config, host };
}

/** Nothing is asked when no person is there [see `openProject`]: then what the policy does not allow is refused. */
async function askOnTerminal(request: PermissionRequest, terminal: Terminal): Promise<boolean> {
  const { agentName, title, kind, input } = request;
  const what = onOneLine(`${title || kind || "something"} ${JSON.stringify(input ?? {})}`, 200);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    terminal.err("\n");
    const answer = await lines.question(`${agentName} wants to run ${what}. Allow? [y/N] `);
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** Resolves when the process is told to end; after that a second signal ends it at once. */
export function untilSignal(): { readonly signalled: Promise<string>; readonly forget: () => void } {
  const { promise, resolve: signal } = Promise.withResolvers<string>();
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const forget = (): void => {
    for (const name of names) process.off(name, take);
  };
  const take = (name: string): void => {
    forget();
    signal(name);
  };
  for (const name of names) process.on(name, take);
  return { signalled: promise, forget };
}
