import { resolve } from "node:path";
import { type Command, Option } from "commander";
import * as z from "zod";
import type { PermissionRequest } from "../../agents/permission-policy.ts";
import type { AgentHost } from "../../daemon/agents/agent-host.ts";
import { agentSchema } from "../../config/config-schema.ts";
import { type GalleyAgents, agentList } from "../../config/agent-list.ts";
import { findConfig } from "../../config/find-config.ts";
import { nearestConfig } from "../../config/load-config.ts";
import type { Galley } from "../../galley/galley.ts";
import { askPerson, canAsk } from "../terminal/ask-person.ts";
import { cleanLines } from "../terminal/clean-text.ts";
import { dataOption, type PrintFlags } from "./options.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface AgentFlags extends PrintFlags {
  readonly config?: string;
}

/** `--config`, for commands that read the configuration. */
export function configOption(): Option {
  const description = "the folder of galley.config.ts or galley.config.json (default: the nearest, from here upwards)";
  return new Option("--config <folder>", description);
}

/** The agents of the configuration and those that were added, without opening the data folder. */
export async function agentsOf(flags: AgentFlags): Promise<GalleyAgents> {
  const config = await nearestConfig(".", flags.config);
  return agentList({ config, data: resolve(flags.data), environment: process.env });
}

export function addAgentFlags(command: Command): Command {
  return command.addOption(configOption()).addOption(dataOption());
}

/** The data folder, opened with the configuration. */
export async function openProjectGalley(flags: AgentFlags): Promise<Galley> {
  const { openGalley } = await import("../../galley/open-galley.ts");
  return openGalley({ data: flags.data, config: flags.config ?? findConfig(".") ?? false });
}

/** Everything that the agents of a project need in order to run. */
export async function openProject(flags: AgentFlags, terminal: Terminal): Promise<AgentHost> {
  const { openGalleyAgents } = await import("../../daemon/agents/agent-host.ts");
  const galley = await openProjectGalley(flags);
  const host = await openGalleyAgents(galley, {
    ask: canAsk(terminal) ? (request) => askOnTerminal(request, terminal) : undefined,
  });
  const close = async (): Promise<void> => {
    await host.close();
    await galley.close();
  };
  return { ...host, close };
}

/** Nothing is asked when no person is there [see `openProject`]: then what the policy does not allow is refused. */
async function askOnTerminal(request: PermissionRequest, terminal: Terminal): Promise<boolean> {
  terminal.err("\n");
  return askPerson(permissionQuestion(request));
}

const shownLength = 1000;

/**
 * What the person is asked. The words are the agent's: they can neither paint over what they ask for, nor hide its end
 * behind something long without its being said.
 */
export function permissionQuestion({ agentName, title, kind, input }: PermissionRequest): string {
  const asked = cleanLines(`${title || kind || "something"} ${JSON.stringify(input ?? {})}`).replace(/\s+/g, " ");
  const rest = asked.length - shownLength;
  const what = rest > 0 ? `${asked.slice(0, shownLength)} … (and ${rest} more characters, not shown)` : asked;
  return `${agentName} wants to run ${what}. Allow? [y/N] `;
}

const example = `Agents are added with \`galley agent add\`, or declared in galley.config.json (or galley.config.ts):
  {
    "agents": [
      {
        "name": "mara",
        "command": "npx",
        "args": ["--yes", "@agentclientprotocol/claude-agent-acp"],
        "backendType": "claude-code"
      }
    ],
    "providers": [
      { "type": "rules", "file": "AGENTS.md" },
      { "type": "skills", "folders": ["skills"] },
      { "type": "mcp", "file": ".mcp.json" }
    ]
  }
Providers say what every session gets beside its identity, its canvas and its chat. An example that runs: examples/agent.`;

interface Field {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
}

/** How a configuration is written, for the help of the commands that read it. The fields come from the schema itself. */
export function configHelp(): string {
  const { properties = {}, required = [] } = z.toJSONSchema(agentSchema, { io: "input", unrepresentable: "any" });
  const names = Object.keys(properties);
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = names.map((name) => {
    const field = properties[name] as Field;
    const choice = field.enum ? ` ${field.enum.join(" | ")}.` : "";
    // Empty lists and objects say nothing that the field's name does not.
    const usual = typeof field.default === "string" ? ` Default: ${field.default}.` : "";
    const preset = required.includes(name) ? " Needed." : usual;
    return `  ${name.padEnd(width)}${field.description ?? ""}${choice}${preset}`;
  });
  return `\n${example}\n\nFields of an agent:\n${lines.join("\n")}\n\nThen:\n  $ galley inject show mara\n  $ galley agent prompt mara "Hello"`;
}
