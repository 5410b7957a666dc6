import { GalleyError, throwOnErrors } from "@galley/engine";
import { problemsOf } from "@galley/engine/schemas";
import * as z from "zod";
import { type Environment, expandEnvironment } from "../../secrets/expand-environment.ts";
import type { AcpMcpServer, NamedValue } from "../../config/providers/acp-mcp-server.ts";
import { parsePrivateJson, readSmallFile } from "../../disk/named-files.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import { addGivenServers } from "../../secrets/secret-values.ts";
import { type DeclaredOptions, DeclaredProvider } from "./declared-provider.ts";

export interface McpConfigOptions extends DeclaredOptions {
  readonly file: string;
  readonly environment?: Environment;
  /** Receives every value that must not be shown: env, headers, and variables that were put in. */
  readonly redactor?: Redactor;
}

const texts = z.record(z.string(), z.string());
// Other programs keep fields of their own in this file; Galley ignores them.
const serverSchema = z.union([
  z.object({
    type: z.enum(["http", "sse", "streamable-http"]),
    url: z.string().min(1),
    headers: texts.default({}),
  }),
  z.object({
    type: z.literal("stdio").optional(),
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: texts.default({}),
  }),
  z.object({ type: z.undefined().optional(), url: z.string().min(1), headers: texts.default({}) }),
]);
const fileSchema = z.object({ mcpServers: z.record(z.string().min(1), serverSchema) });

const maxBytes = 1024 * 1024;

/** Gives every session the servers of a `.mcp.json`. The file is read for each session. */
export class McpConfigProvider extends DeclaredProvider {
  readonly #options: McpConfigOptions;

  constructor(options: McpConfigOptions) {
    super(options, "mcp");
    this.#options = options;
  }

  async getMcpServers(): Promise<readonly AcpMcpServer[]> {
    const { file, environment = process.env, redactor } = this.#options;
    const onValue = (name: string, value: string): void => redactor?.add(name, value);
    const servers = await readMcpFile(file, (text, path) => expandEnvironment(text, { environment, path, onValue }));
    if (redactor) addGivenServers(redactor, servers);
    return servers;
  }
}

/** The servers of a `.mcp.json`; `expand` puts variables into a text. */
export async function readMcpFile(
  file: string,
  expand: (text: string, path: string) => string,
): Promise<readonly AcpMcpServer[]> {
  const text = await readSmallFile(file, maxBytes);
  const { success, data, error } = fileSchema.safeParse(parsePrivateJson(text, file));
  if (!success) {
    throwOnErrors(problemsOf(error.issues, "ConfigInvalid"));
    throw new GalleyError("ConfigInvalid", `${file} has no mcpServers.`, { path: file });
  }
  const named = (values: Readonly<Record<string, string>>, path: string): NamedValue[] =>
    Object.entries(values).map(([name, value]) => ({ name, value: expand(value, `${path}.${name}`) }));
  return Object.entries(data.mcpServers).map(([name, server]): AcpMcpServer => {
    const path = `mcpServers.${name}`;
    if (!("command" in server)) {
      const type = server.type === "sse" ? "sse" : "http";
      const headers = named(server.headers, `${path}.headers`);
      return { type, name, url: expand(server.url, `${path}.url`), headers };
    }
    return {
      name,
      command: expand(server.command, `${path}.command`),
      args: server.args.map((arg, index) => expand(arg, `${path}.args[${index}]`)),
      env: named(server.env, `${path}.env`),
    };
  });
}
