import { readFileSync } from "node:fs";
import { Command, Help } from "commander";
import type { Terminal } from "./terminal/terminal.ts";

/** Asks for an exit code, usually 1. */
type Fail = (code?: number) => void;

/** A command as the help lists it; its options and what it does are loaded when it is chosen. */
interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<(command: Command, terminal: Terminal, fail: Fail) => void>;
}

/** In the order of the help. */
const entries: readonly CommandEntry[] = [
  {
    name: "up",
    summary: "run the daemon with Studio, for this machine",
    load: async () => (await import("./commands/up-command.ts")).defineUp,
  },
  {
    name: "open",
    summary: "print a link that lets a browser into Studio",
    load: async () => (await import("./commands/up-command.ts")).defineOpen,
  },
  {
    name: "down",
    summary: "stop the daemon of the data folder",
    load: async () => (await import("./commands/up-command.ts")).defineDown,
  },
  {
    name: "browsers",
    summary: "list the browsers that are signed in, and sign them out",
    load: async () => (await import("./commands/browsers-command.ts")).defineBrowsers,
  },
  {
    name: "run",
    summary: "say something in a chat or session, and let a model answer with its tools",
    load: async () => (await import("./commands/run-command.ts")).defineRun,
  },
  {
    name: "build",
    summary: "compose and fit what a model reads, and print it",
    load: async () => (await import("./commands/build-command.ts")).defineBuild,
  },
  {
    name: "explain",
    summary: "say where each message comes from, and why others are not sent",
    load: async () => (await import("./commands/explain-command.ts")).defineExplain,
  },
  {
    name: "diff",
    summary: "compare two builds: what appeared, left, moved or changed",
    load: async () => (await import("./commands/diff-command.ts")).defineDiff,
  },
  {
    name: "replay",
    summary: "rebuild every recorded call of a session and compare digests",
    load: async () => (await import("./commands/replay-command.ts")).defineReplay,
  },
  {
    name: "compact",
    summary: "summarise old messages of a session that is over its budget",
    load: async () => (await import("./commands/compact-command.ts")).defineCompact,
  },
  {
    name: "preset",
    summary: "check and convert presets, and keep them in the library",
    load: async () => (await import("./commands/preset-command.ts")).definePreset,
  },
  {
    name: "import",
    summary: "make a preset and a session from SillyTavern's files",
    load: async () => (await import("./commands/import-command.ts")).defineImport,
  },
  {
    name: "export",
    summary: "write a preset as SillyTavern's files",
    load: async () => (await import("./commands/export-command.ts")).defineExport,
  },
  {
    name: "chat",
    summary: "working contexts of a chat: new, load, list, clear, show, add",
    load: async () => (await import("./commands/chat-command.ts")).defineChat,
  },
  {
    name: "doctor",
    summary: "check a data folder; --fix quarantines what is damaged",
    load: async () => (await import("./commands/doctor-command.ts")).defineDoctor,
  },
  {
    name: "models",
    summary: "list models: which can be used and why not, window, price, tokenizer",
    load: async () => (await import("./commands/models-command.ts")).defineModels,
  },
  {
    name: "inject",
    summary: "show what the sessions of an agent are given",
    load: async () => (await import("./commands/inject-command.ts")).defineInject,
  },
  {
    name: "agent",
    summary: "list, start, prompt and stop the agents of galley.config",
    load: async () => (await import("./commands/agent-command.ts")).defineAgent,
  },
  {
    name: "tool",
    summary: "list and call the tools of the agent session that runs this command",
    load: async () => (await import("./commands/tool-command.ts")).defineTool,
  },
  {
    name: "mcp",
    summary: "serve the tools as an MCP server over standard input and output",
    load: async () => (await import("./commands/mcp-command.ts")).defineMcp,
  },
  {
    name: "profile",
    summary: "name the profiles that agents are started with",
    load: async () => (await import("./commands/profile-command.ts")).defineProfile,
  },
  {
    name: "box",
    summary: "show a box of cards, or pack a context box",
    load: async () => (await import("./commands/box-command.ts")).defineBox,
  },
  {
    name: "delegate",
    summary: "hand a task to an agent; the daemon or a worker runs it",
    load: async () => (await import("./commands/delegate-command.ts")).defineDelegate,
  },
  {
    name: "fork",
    summary: "hand several tasks to agents at once, and join their results",
    load: async () => (await import("./commands/delegate-command.ts")).defineFork,
  },
  {
    name: "task",
    summary: "list, show, wait for and cancel tasks that were handed to agents",
    load: async () => (await import("./commands/task-command.ts")).defineTask,
  },
  {
    name: "worker",
    summary: "run the tasks that are waiting, on as many machines as wanted",
    load: async () => (await import("./commands/worker-command.ts")).defineWorker,
  },
  {
    name: "completion",
    summary: "print what your shell needs to complete galley's commands and options",
    load: async () => (await import("./commands/completion-command.ts")).defineCompletion,
  },
];

const introduction = "Galley decides what a model sees, fits it into the model's window, and can say why.";
const startHere = `
Start here:
  $ galley up                          Studio in the browser, with a small demo workspace
  $ galley run "Hello" --chat demo     one turn in the terminal; without a key the demo model answers
  $ galley help explain                what a model reads, and why`;

/** The whole command with every option: it is printed as a page, written into the scripts of shells, and tried by tests. */
export async function makeProgram(terminal: Terminal, fail: Fail): Promise<Command> {
  return programWith(entries, terminal, fail);
}

/** Of the command only what these arguments need: loading every command takes many times longer than running one. */
export async function programFor(args: readonly string[], terminal: Terminal, fail: Fail): Promise<Command> {
  const [first, second] = args;
  const name = first === "help" ? second : first;
  // `completion` writes down the options of all.
  const chosen = name === "completion" ? entries : entries.filter((entry) => entry.name === name);
  return programWith(chosen, terminal, fail);
}

async function programWith(loaded: readonly CommandEntry[], terminal: Terminal, fail: Fail): Promise<Command> {
  const program = emptyProgram(terminal);
  const definitions = await Promise.all(loaded.map(async (entry) => [entry, await entry.load()] as const));
  const define = new Map(definitions);
  for (const entry of entries) {
    const command = program.command(entry.name).summary(entry.summary);
    define.get(entry)?.(command, terminal, fail);
  }
  return program;
}

function emptyProgram(terminal: Terminal): Command {
  return (
    new Command("galley")
      .description(introduction)
      .addHelpText("after", startHere)
      .version(version(), "-V, --version")
      .helpOption("-h, --help", "show this, or the help of a command")
      .helpCommand("help [command]", "show the help of a command")
      .showSuggestionAfterError()
      // `galley --version` is this program's; a command may have a --version of its own.
      .enablePositionalOptions()
      .configureHelp({ sortOptions: false, showGlobalOptions: false, subcommandTerm })
      .configureOutput({
        writeOut: (text) => terminal.out(text),
        writeErr: (text) => terminal.err(text),
        // Told by `main`, in the form of all our errors.
        outputError: () => undefined,
        getOutHelpWidth: () => (terminal.isTerminal ? terminal.columns : 100),
        getErrHelpWidth: () => (terminal.isTerminal ? terminal.columns : 100),
      })
      .exitOverride()
  );
}

/** In the list of all commands only the name: what a command takes is not known before it is loaded. */
function subcommandTerm(command: Command): string {
  const isListed = command.parent !== null && command.parent.parent === null;
  return isListed ? command.name() : new Help().subcommandTerm(command);
}

function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
