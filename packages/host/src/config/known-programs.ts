import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that speaks ACP and that Galley knows how to start. */
export interface KnownProgram {
  /** What `backendType` of an agent says. */
  readonly id: string;
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** The same on this machine. */
export interface FoundProgram extends KnownProgram {
  readonly installed: boolean;
  /** Where it is, or how it is installed. */
  readonly why: string;
}

interface Listed extends KnownProgram {
  /** Of npm. */
  readonly from: string;
  /** The program that people have, where another one speaks ACP for it. */
  readonly behind?: string;
}

/** Those that `npm run test:agents` runs. */
const listed: readonly Listed[] = [
  {
    id: "claude-code",
    label: "Claude Code",
    command: "claude-agent-acp",
    args: [],
    from: "@agentclientprotocol/claude-agent-acp",
    behind: "claude",
  },
  {
    id: "codex",
    label: "Codex",
    command: "codex-acp",
    args: [],
    from: "@agentclientprotocol/codex-acp",
    behind: "codex",
  },
  { id: "gemini", label: "Gemini CLI", command: "gemini", args: ["--acp"], from: "@google/gemini-cli" },
  { id: "opencode", label: "OpenCode", command: "opencode", args: ["acp"], from: "opencode-ai" },
  { id: "qwen", label: "Qwen Code", command: "qwen", args: ["--acp"], from: "@qwen-code/qwen-code" },
  { id: "kimi", label: "Kimi Code", command: "kimi", args: ["acp"], from: "@moonshot-ai/kimi-code" },
  { id: "copilot", label: "GitHub Copilot", command: "copilot", args: ["--acp"], from: "@github/copilot" },
];

export const knownPrograms: readonly KnownProgram[] = listed;

/** Which of them are installed: nothing is started to find out. */
export function findPrograms(environment: Environment): readonly FoundProgram[] {
  return listed.map(({ from, behind, ...program }) => {
    const file = fileInPath(program.command, environment);
    if (file !== undefined) return { ...program, installed: true, why: file };
    const isBehind = behind !== undefined && fileInPath(behind, environment) !== undefined;
    const what = isBehind ? `${behind} is installed, and ${program.command} speaks ACP for it` : "It is not installed";
    return { ...program, installed: false, why: `${what}: npm install -g ${from}` };
  });
}

/** Relative entries are left out: what stands there depends on the folder, in which anybody may have put a program. */
function fileInPath(name: string, environment: Environment): string | undefined {
  const folders = (environment["PATH"] ?? environment["Path"] ?? "").split(delimiter).filter((one) => isAbsolute(one));
  const endings = process.platform === "win32" ? (environment["PATHEXT"] ?? ".EXE;.CMD").split(";") : [""];
  return folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
