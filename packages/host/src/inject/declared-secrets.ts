import { resolve } from "node:path";
import type { LoadedConfig } from "../config/load-config.ts";
import { type Environment, expandEnvironment } from "../secrets/expand-environment.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { addArguments, addNamed, addServerSecrets } from "../secrets/secret-values.ts";
import { readMcpFile } from "./providers/mcp-config-provider.ts";

/**
 * Masks the keys that a configuration gives to agents and MCP servers, also before any of them is started: people paste them into
 * chats [P6]. Best effort: what cannot be read here is reported where it is used.
 */
export async function addDeclaredSecrets(
  { folder, agents, providers }: Pick<LoadedConfig, "folder" | "agents" | "providers">,
  { redactor, environment }: { readonly redactor: Redactor; readonly environment: Environment },
): Promise<void> {
  const expand = (text: string): string => {
    try {
      return expandEnvironment(text, { environment, path: "" });
    } catch {
      return text;
    }
  };
  for (const { name, command, args, env } of agents) {
    addArguments(redactor, `${name}.args`, [command, ...args]);
    for (const [variable, value] of Object.entries(env)) addNamed(redactor, { name: variable, value: expand(value) });
  }
  const declared = [...providers, ...agents.flatMap((agent) => agent.providers)];
  const files = declared.flatMap((one) => ("type" in one && one.type === "mcp" ? [resolve(folder, one.file)] : []));
  for (const file of new Set(files)) addServerSecrets(redactor, await readMcpFile(file, expand).catch(() => []));
}
