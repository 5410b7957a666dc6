import { readFileSync } from "node:fs";
import { Command, Help } from "commander";
import type { Terminal } from "./terminal/terminal.ts";

/** Asks for an exit code, usually 1. */
type Fail = (code?: number) => void;

/** Puts options and actions on a command. */
type Define = (command: Command, terminal: Terminal, fail: Fail) => void;

/** The commands in the order of the help. */
const summaries = {
  up: "run the daemon with Studio, for this machine",
  open: "print a link that lets a browser into Studio",
  down: "stop the daemon of the data folder",
  browsers: "list the browsers that are signed in, and sign them out",
  run: "say something in a chat or session, and let a model answer with its tools",
  build: "compose and fit what a model reads, and print it",
  explain: "say where each message comes from, and why others are not sent",
  diff: "compare two builds: what appeared, left, moved or changed",
  replay: "rebuild every recorded call of a session and compare digests",
  lost: "say which names the compactions of a session or a log lost, and who needed them",
  retention: "say how much of what replies repeat was in the input of their call",
  recall: "read what left the window of a chat, a session, a task or a log: by handle, or by words",
  compact: "summarise old messages of a session that is over its budget",
  preset: "check and convert presets, and keep them in the library",
  logs: "list the sessions of agents on this machine; open and follow one",
  import: "read logs of agents as sessions, or SillyTavern's files as a preset",
  export: "write a preset as SillyTavern's files",
  chat: "working contexts of a chat: new, load, list, clear, show, add, and its settings",
  session: "list, show, set, export and delete the sessions of a data folder",
  doctor: "check a data folder; --fix quarantines what is damaged",
  models: "list models: which can be used and why not, window, price, tokenizer",
  provider: "add, list, check and remove providers of models, with their keys",
  inject: "show what the sessions of an agent are given",
  agent: "add, list, start, prompt and stop agents",
  tool: "list and call the tools of the agent session that runs this command",
  mcp: "serve the tools as an MCP server over standard input and output",
  attach: "remind a coding agent, after its own compactions, of names that it lost",
  detach: "take out what attach has put into the settings of an agent",
  hook: "what an attached agent runs around a compaction",
  profile: "name the profiles that agents are started with",
  box: "show a box of cards, or pack a context box",
  delegate: "hand a task to an agent; the daemon or a worker runs it",
  fork: "hand several tasks to agents at once, and join their results",
  task: "list, show, wait for and cancel tasks that were handed to agents",
  worker: "run the tasks that are waiting, on as many machines as wanted",
  completion: "print what your shell needs to complete galley's commands and options",
} as const;

type CommandName = keyof typeof summaries;

/** What a command takes and does is loaded when it is chosen. */
const definitions: Readonly<Record<CommandName, () => Promise<Define>>> = {
  up: async () => (await import("./commands/up-command.ts")).defineUp,
  open: async () => (await import("./commands/up-command.ts")).defineOpen,
  down: async () => (await import("./commands/up-command.ts")).defineDown,
  browsers: async () => (await import("./commands/browsers-command.ts")).defineBrowsers,
  run: async () => (await import("./commands/chats/run-command.ts")).defineRun,
  build: async () => (await import("./commands/builds/build-command.ts")).defineBuild,
  explain: async () => (await import("./commands/builds/explain-command.ts")).defineExplain,
  diff: async () => (await import("./commands/builds/diff-command.ts")).defineDiff,
  replay: async () => (await import("./commands/builds/replay-command.ts")).defineReplay,
  lost: async () => (await import("./commands/builds/lost-command.ts")).defineLost,
  retention: async () => (await import("./commands/builds/retention-command.ts")).defineRetention,
  recall: async () => (await import("./commands/builds/recall-command.ts")).defineRecall,
  compact: async () => (await import("./commands/builds/compact-command.ts")).defineCompact,
  preset: async () => (await import("./commands/exchange/preset-command.ts")).definePreset,
  logs: async () => (await import("./commands/exchange/logs-command.ts")).defineLogs,
  import: async () => (await import("./commands/exchange/import-command.ts")).defineImport,
  export: async () => (await import("./commands/exchange/export-command.ts")).defineExport,
  chat: async () => (await import("./commands/chats/chat-command.ts")).defineChat,
  session: async () => (await import("./commands/chats/session-command.ts")).defineSession,
  doctor: async () => (await import("./commands/doctor-command.ts")).defineDoctor,
  models: async () => (await import("./commands/models-command.ts")).defineModels,
  provider: async () => (await import("./commands/provider-command.ts")).defineProvider,
  inject: async () => (await import("./commands/agents/inject-command.ts")).defineInject,
  agent: async () => (await import("./commands/agents/agent-command.ts")).defineAgent,
  tool: async () => (await import("./commands/agents/tool-command.ts")).defineTool,
  mcp: async () => (await import("./commands/agents/mcp-command.ts")).defineMcp,
  attach: async () => (await import("./commands/agents/attach-command.ts")).defineAttach,
  detach: async () => (await import("./commands/agents/attach-command.ts")).defineDetach,
  hook: async () => (await import("./commands/agents/hook-command.ts")).defineHook,
  profile: async () => (await import("./commands/handover/profile-command.ts")).defineProfile,
  box: async () => (await import("./commands/handover/box-command.ts")).defineBox,
  delegate: async () => (await import("./commands/handover/delegate-command.ts")).defineDelegate,
  fork: async () => (await import("./commands/handover/delegate-command.ts")).defineFork,
  task: async () => (await import("./commands/handover/task-command.ts")).defineTask,
  worker: async () => (await import("./commands/handover/worker-command.ts")).defineWorker,
  completion: async () => (await import("./commands/completion-command.ts")).defineCompletion,
};

const introduction = "Galley decides what a model sees, fits it into the model's window, and can say why.";
const startHere = `
Start here:
  $ galley up                          Studio in the browser, with a small demo workspace
  $ galley run "Hello" --chat demo     one turn in the terminal; without a key the demo model answers
  $ galley help explain                what a model reads, and why`;

/** The whole command with every option: it is printed as a page, written into the scripts of shells, and tried by tests. */
export async function makeProgram(terminal: Terminal, fail: Fail): Promise<Command> {
  return programWith(Object.keys(summaries), terminal, fail);
}

/** Of the command only what these arguments need: loading every command takes many times longer than running one. */
export async function programFor(args: readonly string[], terminal: Terminal, fail: Fail): Promise<Command> {
  const [first, second] = args;
  const name = first === "help" ? second : first;
  // `completion` writes down the options of all.
  return programWith(name === "completion" ? Object.keys(summaries) : [name ?? ""], terminal, fail);
}

async function programWith(loaded: readonly string[], terminal: Terminal, fail: Fail): Promise<Command> {
  const program = emptyProgram(terminal);
  const names = Object.keys(summaries) as CommandName[];
  const defines = await Promise.all(
    names.map(async (name) => (loaded.includes(name) ? definitions[name]() : undefined)),
  );
  for (const [index, name] of names.entries()) {
    const command = program.command(name).summary(summaries[name]);
    defines[index]?.(command, terminal, fail);
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
