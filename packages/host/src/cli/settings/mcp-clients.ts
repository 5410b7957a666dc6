import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parse as parseToml } from "smol-toml";
import { exists } from "../../disk/data-files.ts";
import { readJsonDocument, removeJsonEntry, setJsonEntry } from "./json-entry.ts";
import { readRecord } from "./install-record.ts";
import { type OwnSettings, isSame, reading } from "./plan-change.ts";
import type { SettingsFile } from "./settings-file.ts";
import type { TextEdit } from "./text-edit.ts";
import { removeTomlEntry, setTomlEntry } from "./toml-entry.ts";

/** How an MCP server is started. */
interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that the program would not hand on by itself. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How this very Galley is started. Programs start servers without most variables: where state is kept must be told [L7]. */
export function ownServer(args: readonly string[], { XDG_STATE_HOME: state }: NodeJS.ProcessEnv): ServerCommand {
  return { command: process.execPath, args, ...(state ? { env: { XDG_STATE_HOME: state } } : {}) };
}

type Place = readonly [section: string, name: string];

/** How an entry of a settings file is read, set and removed. What it cannot read throws. */
interface SettingsFormat {
  readonly name: "JSON" | "TOML";
  read(text: string): Readonly<Record<string, unknown>>;
  set(text: string, place: Place, value: object): TextEdit;
  remove(text: string, place: Place): TextEdit | undefined;
}

const json: SettingsFormat = { name: "JSON", read: readJsonDocument, set: setJsonEntry, remove: removeJsonEntry };
const toml: SettingsFormat = { name: "TOML", read: parseToml, set: setTomlEntry, remove: removeTomlEntry };

/** A program that starts MCP servers, and where its settings name them. */
export interface McpClient {
  readonly title: string;
  readonly format: SettingsFormat;
  readonly section: string;
  readonly file: (env: NodeJS.ProcessEnv) => string;
  entry(server: ServerCommand): object;
}

const plainEntry = ({ command, args, env }: ServerCommand): object => ({ command, args, ...(env ? { env } : {}) });
export const home = (...names: readonly string[]): string => join(homedir(), ...names);
/** The folder for configurations; a variable that names a relative one is ignored, as the XDG specification asks. */
const configHome = ({ XDG_CONFIG_HOME: wanted }: NodeJS.ProcessEnv): string =>
  wanted?.startsWith("/") ? wanted : home(".config");

/** The first of these that is there, else the last. */
function firstOf(folder: string, names: readonly string[]): string {
  const files = names.map((name) => join(folder, name));
  return files.find((file) => exists(file)) ?? files.at(-1) ?? folder;
}

/** The clients whose settings `galley mcp install` writes. */
export const mcpClients: Readonly<Record<string, McpClient>> = {
  "claude-code": {
    title: "Claude Code",
    format: json,
    section: "mcpServers",
    file: ({ CLAUDE_CONFIG_DIR: folder }) => (folder ? resolve(folder, ".claude.json") : home(".claude.json")),
    entry: (server) => ({ type: "stdio", ...plainEntry(server) }),
  },
  codex: {
    title: "Codex",
    format: toml,
    section: "mcp_servers",
    file: ({ CODEX_HOME: folder }) => resolve(folder || home(".codex"), "config.toml"),
    entry: plainEntry,
  },
  "gemini-cli": {
    title: "Gemini CLI",
    format: json,
    section: "mcpServers",
    file: ({ GEMINI_CLI_HOME: folder }) => resolve(folder || homedir(), ".gemini", "settings.json"),
    entry: plainEntry,
  },
  opencode: {
    title: "OpenCode",
    format: json,
    section: "mcp",
    file: (env) => firstOf(join(configHome(env), "opencode"), ["opencode.jsonc", "opencode.json"]),
    entry: ({ command, args, env }) => ({
      type: "local",
      command: [command, ...args],
      ...(env ? { environment: env } : {}),
      enabled: true,
    }),
  },
  cursor: {
    title: "Cursor",
    format: json,
    section: "mcpServers",
    file: () => home(".cursor", "mcp.json"),
    entry: plainEntry,
  },
  zed: {
    title: "Zed",
    format: json,
    section: "context_servers",
    file: (env) => join(configHome(env), "zed", "settings.json"),
    entry: (server) => ({ env: {}, ...plainEntry(server) }),
  },
};

const entryName = "galley";

/** The entry of a client; `value` is what it should be. */
export function ownEntry({ title, format, section }: McpClient, value?: object): OwnSettings {
  const place = [section, entryName] as const;
  const entryIn = (text: string): unknown => split(format.read(text), place).entry;
  return {
    title,
    format: format.name,
    section,
    byHand: `the entry ${entryName}`,
    isThere: (text) => entryIn(text) !== undefined,
    isWanted: (text) => isSame(entryIn(text), value),
    rest: (text) => split(format.read(text), place).rest,
    clear: (text) => text,
    add: (text) => format.set(text, place, value ?? {}),
    remove: (text) => format.remove(text, place),
  };
}

/** Whether a person has put a server of ours into the settings, whatever it serves. */
export function hasOwnServer({ title, format, section }: McpClient, { path, text = "" }: SettingsFile): boolean {
  const own = { title, format: format.name };
  const { entry } = reading(own, path, () => split(format.read(text), [section, entryName]));
  const { command, args } = (entry ?? {}) as { readonly command?: unknown; readonly args?: unknown };
  const words = [command, args].flat();
  const isGalley = words.some((word) => typeof word === "string" && /(?:^|[\\/])galley(?:\.js)?$/.test(word));
  return isGalley && words.includes("mcp") && readRecord(path)?.by !== "attach";
}

interface SplitDocument {
  readonly entry: unknown;
  readonly rest: Readonly<Record<string, unknown>>;
}

/** The entry, and everything else; a section that holds nothing else is not part of that. */
function split(document: Readonly<Record<string, unknown>>, [section, name]: Place): SplitDocument {
  const servers = document[section];
  if (typeof servers !== "object" || servers === null || Array.isArray(servers))
    return { entry: undefined, rest: document };
  const { [name]: entry, ...others } = servers as Record<string, unknown>;
  const { [section]: _, ...rest } = document;
  return { entry, rest: Object.keys(others).length === 0 ? rest : { ...rest, [section]: others } };
}
