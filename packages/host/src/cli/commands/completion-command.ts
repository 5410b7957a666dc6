import { type Command, Argument } from "commander";
import { type Shell, completionScript, shells } from "../print/completion-script.ts";
import type { Terminal } from "../terminal/terminal.ts";

const examples = `
Put it where your shell reads it:
  bash        galley completion bash > ~/.local/share/bash-completion/completions/galley
  zsh         galley completion zsh > "\${fpath[1]}/_galley"
  fish        galley completion fish > ~/.config/fish/completions/galley.fish
  powershell  galley completion powershell >> $PROFILE`;

/** `galley completion`: what a shell needs to complete the command. */
export function defineCompletion(command: Command, terminal: Terminal): void {
  command
    .description("Prints a script that completes commands, options and their choices. It asks galley nothing.")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .addHelpText("after", examples)
    .action((shell: Shell) => terminal.out(completionScript(command.parent ?? command, shell)));
}
