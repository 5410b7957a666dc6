import type { Command } from "commander";
import { buildDocument } from "./build-document.ts";
import { type BuildFlags, addBuildFlags, readBuildInput } from "./build-input.ts";
import { explainText } from "./explain-text.ts";
import { reportWarnings } from "./report.ts";
import type { Terminal } from "./terminal.ts";

const examples = `
Examples:
  $ galley build --preset examples/recipes.json --model gpt-5 --session examples/session.jsonl
  $ galley build --preset examples/simple.json --input "Where were we?" --json
  $ cat session.jsonl | galley build --session - --json`;

/** `galley build`: the messages that a model would read. */
export function addBuildCommand(program: Command, terminal: Terminal): void {
  const command = program.command("build").summary("compose what a model reads, and print it");
  command.description("Composes a preset and a history into the exact list of messages that a model reads.");
  addBuildFlags(command)
    .addHelpText("after", examples)
    .action(async (flags: BuildFlags) => {
      const build = await buildDocument(await readBuildInput(flags, terminal));
      if (flags.json) {
        terminal.out(`${JSON.stringify(build, null, 2)}\n`);
        return;
      }
      reportWarnings(build.warnings, terminal);
      for (const message of build.messages) {
        const text = typeof message.content === "string" ? message.content : JSON.stringify(message.content, null, 2);
        terminal.out(`── ${message.role}\n${text}\n\n`);
      }
    });
}

/** `galley explain`: the same build as a table with the reason for every message. */
export function addExplainCommand(program: Command, terminal: Terminal): void {
  const command = program.command("explain").summary("say where each message comes from, and why others are not sent");
  command.description("The build as a table: position, role, source, tokens, why; then what was not sent and why.");
  addBuildFlags(command)
    .addHelpText("after", examples.replaceAll("galley build", "galley explain"))
    .action(async (flags: BuildFlags) => {
      const build = await buildDocument(await readBuildInput(flags, terminal));
      if (flags.json) {
        terminal.out(`${JSON.stringify(build, null, 2)}\n`);
        return;
      }
      reportWarnings(build.warnings, terminal);
      terminal.out(explainText(build, terminal));
    });
}
