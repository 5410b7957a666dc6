import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { GalleyError } from "@galley/engine";

/** How an agent was given its system text. */
export type SystemTextWay = "session" | "argument" | "environment" | "home" | "first-prompt";

/** What a launch must have beside the agent's own command, so that its backend reads the system text. */
export interface Launch {
  readonly way: SystemTextWay;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Place {
  /** A folder for this session alone, which is removed when it ends. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

type Delivery = (text: string, place: Place) => Promise<Launch>;

const inHome =
  (home: HomeFile): Delivery =>
  (text, place) =>
    shadowHome(text, place, home);
const gemini = inHome({ variable: "GEMINI_CLI_HOME", root: "", path: ".gemini", file: "GEMINI.md" });
const kimi = inHome({ variable: "KIMI_CODE_HOME", root: ".kimi-code", path: "", file: "AGENTS.md" });
const qwen: Delivery = async (text) => argument("--append-system-prompt", text);

/**
 * Backends that take system text, but not in the standard field of `session/new`. For all others that field is used where
 * the agent says that it knows it, and the first prompt where it does not. goose is one of those: it reads `.goosehints`
 * in the working folder only, which is the user's and is not written to.
 */
const deliveries: ReadonlyMap<string, Delivery> = new Map(
  Object.entries({
    // A `-c` value is TOML, of whose strings JSON's are a part.
    "codex-zed": async (text) => argument("-c", `developer_instructions=${JSON.stringify(text)}`),
    opencode: opencodeInstructions,
    gemini,
    "gemini-cli": gemini,
    qwen,
    "qwen-code": qwen,
    kimi,
    "kimi-code": kimi,
    copilot: inHome({ variable: "COPILOT_HOME", root: ".copilot", path: "", file: "copilot-instructions.md" }),
  } satisfies Record<string, Delivery>),
);

/** What the launch of this backend needs in order to know the text; nothing when the session will be told [I9]. */
export async function systemTextLaunch(backendType: string, text: string, place: Place): Promise<Launch | undefined> {
  const delivery = deliveries.get(backendType);
  return text === "" ? undefined : delivery?.(text, place);
}

/** The block that goes in front of the first prompt of an agent that knows no other way. */
export function firstPromptBlock(text: string): string {
  return `<system-context source="galley">\n${text}\n</system-context>\n\nThe text above comes from the platform that runs you, not from the user. The user's message follows.`;
}

function argument(...args: readonly string[]): Launch {
  return { way: "argument", args, env: {} };
}

async function opencodeInstructions(text: string, { folder, env }: Place): Promise<Launch> {
  const variable = "OPENCODE_CONFIG_CONTENT";
  const file = join(folder, "instructions.md");
  await writeFile(file, text, { mode: 0o600 });
  const config = parseConfig(env[variable] ?? "{}", variable);
  const instructions = [...(config.instructions ?? []), file];
  return { way: "environment", args: [], env: { [variable]: JSON.stringify({ ...config, instructions }) } };
}

function parseConfig(text: string, variable: string): { readonly instructions?: readonly string[] } {
  try {
    return JSON.parse(text) as { readonly instructions?: readonly string[] };
  } catch {
    // Not the cause: it would quote a text that may hold keys.
    throw new GalleyError("ConfigInvalid", `The variable ${variable} is not valid JSON.`, {
      path: `env.${variable}`,
      hint: "opencode reads its configuration from it; fix it, or leave it out.",
    });
  }
}

interface HomeFile {
  /** The variable that moves the home. */
  readonly variable: string;
  /** Where it is otherwise, below the user's home. */
  readonly root: string;
  /** The folder below the home that holds the file. */
  readonly path: string;
  readonly file: string;
}

/**
 * A home for this session in which everything is the user's own (by links: logins and settings stay valid), except the one
 * file, which holds the user's text and then ours. The user's own file is never written to.
 */
async function shadowHome(text: string, { folder, env }: Place, home: HomeFile): Promise<Launch> {
  const source = join(env[home.variable] ?? join(env["HOME"] ?? homedir(), home.root), home.path);
  const shadow = join(folder, "home");
  const target = join(shadow, home.path);
  await mkdir(target, { recursive: true });
  const names = await readdir(source).catch(() => []);
  await Promise.all(
    names.filter((name) => name !== home.file).map((name) => symlink(join(source, name), join(target, name))),
  );
  const own = await readFile(join(source, home.file), "utf8").catch(() => "");
  await writeFile(join(target, home.file), own === "" ? text : `${own}\n\n${text}`, { mode: 0o600 });
  return { way: "home", args: [], env: { [home.variable]: shadow } };
}
