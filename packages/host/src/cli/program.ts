import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addAgentCommand } from "./commands/agent-command.ts";
import { addBoxCommand } from "./commands/box-command.ts";
import { addBrowsersCommand } from "./commands/browsers-command.ts";
import { addBuildCommand } from "./commands/build-command.ts";
import { addChatCommand } from "./commands/chat-command.ts";
import { addCompactCommand } from "./commands/compact-command.ts";
import { addDelegateCommand, addForkCommand } from "./commands/delegate-command.ts";
import { addDiffCommand } from "./commands/diff-command.ts";
import { addExplainCommand } from "./commands/explain-command.ts";
import { addExportCommand } from "./commands/export-command.ts";
import { addImportCommand } from "./commands/import-command.ts";
import { addDoctorCommand } from "./commands/doctor-command.ts";
import { addModelsCommand } from "./commands/models-command.ts";
import { addInjectCommand } from "./commands/inject-command.ts";
import { addMcpCommand } from "./commands/mcp-command.ts";
import { addPresetCommand } from "./commands/preset-command.ts";
import { addProfileCommand } from "./commands/profile-command.ts";
import { addReplayCommand } from "./commands/replay-command.ts";
import { addRunCommand } from "./commands/run-command.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { addToolCommand } from "./commands/tool-command.ts";
import { addTaskCommand } from "./commands/task-command.ts";
import { addDownCommand, addOpenCommand, addUpCommand } from "./commands/up-command.ts";
import { addWorkerCommand } from "./commands/worker-command.ts";
import { addCompletionCommand } from "./commands/completion-command.ts";

const introduction = "Galley decides what a model sees, fits it into the model's window, and can say why.";
const startHere = `
Start here:
  $ galley up                          Studio in the browser, with a small demo workspace
  $ galley run "Hello" --chat demo     one turn in the terminal; without a key the demo model answers
  $ galley help explain                what a model reads, and why`;

/** The whole command as data: it is run, completed by shells and printed as a page. `fail` asks for an exit code, usually 1. */
export function makeProgram(terminal: Terminal, fail: (code?: number) => void): Command {
  const program = new Command("galley")
    .description(introduction)
    .addHelpText("after", startHere)
    .version(version(), "-V, --version")
    .helpOption("-h, --help", "show this, or the help of a command")
    .helpCommand("help [command]", "show the help of a command")
    .showSuggestionAfterError()
    // `galley --version` is this program's; a command may have a --version of its own.
    .enablePositionalOptions()
    .configureHelp({ sortOptions: false, showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      // Told by `main`, in the form of all our errors.
      outputError: () => undefined,
      getOutHelpWidth: () => (terminal.isTerminal ? terminal.columns : 100),
      getErrHelpWidth: () => (terminal.isTerminal ? terminal.columns : 100),
    })
    .exitOverride();
  addUpCommand(program, terminal);
  addOpenCommand(program, terminal);
  addDownCommand(program, terminal);
  addBrowsersCommand(program, terminal);
  addRunCommand(program, terminal, fail);
  addBuildCommand(program, terminal);
  addExplainCommand(program, terminal);
  addDiffCommand(program, terminal);
  addReplayCommand(program, terminal, fail);
  addCompactCommand(program, terminal);
  addPresetCommand(program, terminal, fail);
  addImportCommand(program, terminal);
  addExportCommand(program, terminal);
  addChatCommand(program, terminal, fail);
  addDoctorCommand(program, terminal, fail);
  addModelsCommand(program, terminal);
  addInjectCommand(program, terminal);
  addAgentCommand(program, terminal, fail);
  addToolCommand(program, terminal);
  addMcpCommand(program);
  addProfileCommand(program, terminal);
  addBoxCommand(program, terminal);
  addDelegateCommand(program, terminal, fail);
  addForkCommand(program, terminal, fail);
  addTaskCommand(program, terminal);
  addWorkerCommand(program, terminal);
  addCompletionCommand(program, terminal);
  return program;
}

function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
