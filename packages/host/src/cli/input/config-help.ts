import * as z from "zod";
import { agentSchema } from "../../config/config-schema.ts";

const example = `Agents are declared in galley.config.json (or galley.config.ts):
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
    const preset = required.includes(name) ? " Needed." : presetOf(field);
    return `  ${name.padEnd(width)}${field.description ?? ""}${choice}${preset}`;
  });
  return `\n${example}\n\nFields of an agent:\n${lines.join("\n")}\n\nThen:\n  $ galley inject show mara\n  $ galley agent prompt mara "Hello"`;
}

/** Empty lists and objects say nothing that the field's name does not. */
function presetOf({ default: preset }: Field): string {
  return typeof preset === "string" ? ` Default: ${preset}.` : "";
}
