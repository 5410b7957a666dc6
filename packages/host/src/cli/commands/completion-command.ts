import { Argument, type Command, type Option } from "commander";
import { type CommandNode, commandTree, flattenTree } from "../print/command-tree.ts";
import type { Terminal } from "../terminal/terminal.ts";

const examples = `
Put it where your shell reads it:
  bash        galley completion bash > ~/.local/share/bash-completion/completions/galley
  zsh         galley completion zsh > "\${fpath[1]}/_galley"
  fish        galley completion fish > ~/.config/fish/completions/galley.fish
  powershell  galley completion powershell >> $PROFILE`;

export function defineCompletion(command: Command, terminal: Terminal): void {
  command
    .description("Prints a script that completes commands, options and their choices. It asks galley nothing.")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .addHelpText("after", examples)
    .action((shell: Shell) => terminal.out(completionScript(command.parent ?? command, shell)));
}

export const shells = ["bash", "zsh", "fish", "powershell"] as const;
type Shell = (typeof shells)[number];

/** The script that completes `galley` in a shell. Everything is written into it, so that completing is quick. */
function completionScript(program: Command, shell: Shell): string {
  const nodes = flattenTree(commandTree(program));
  switch (shell) {
    case "bash":
      return bash(nodes);
    case "zsh":
      return zsh(nodes);
    case "fish":
      return fish(nodes);
    case "powershell":
      return powershell(nodes);
  }
}

/** What may follow a command: its own commands, or the choices of its argument. */
function wordsAfter({ children, choices }: CommandNode): readonly string[] {
  return children.length > 0 ? children.map(({ path }) => path.at(-1) ?? "") : choices;
}

function flagsOf({ options }: CommandNode): readonly string[] {
  return options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined));
}

function takesValue(option: Option): boolean {
  return option.required || option.optional;
}

/** The longest run of words that names a command decides what may follow: flags behind a dash, else its commands, else files. */
function bash(nodes: readonly CommandNode[]): string {
  const cases = nodes.map((node) => {
    const name = node.path.join(" ");
    const places = node.beginnings.length === 0 ? "" : ` places=${quote(node.beginnings.join(" "))};`;
    return `    ${quote(name)}) words=${quote(wordsAfter(node).join(" "))};${places} flags=${quote(flagsOf(node).join(" "))} ;;`;
  });
  const values = nodes.flatMap(({ path, options }) =>
    options.filter(({ argChoices }) => argChoices).map((option) => bashChoice(path, option)),
  );
  return `# bash completion of galley
_galley() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command= word words= places= flags= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$word" in -*) continue ;; esac
    case "\${command:+$command }$word" in
${nodes.flatMap(({ path }) => (path.length === 0 ? [] : [`      ${quote(path.join(" "))}) command="\${command:+$command }$word" ;;`])).join("\n")}
    esac
  done
  case "$command:$previous" in
${values.join("\n")}
  esac
  case "$command" in
${cases.join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
    *) COMPREPLY=($(if [ -n "$words" ]; then compgen -W "$words" -- "$current"; else compgen -W "$places" -- "$current"; compgen -f -- "$current"; fi)) ;;
  esac
  case "\${COMPREPLY[0]}" in *:) compopt -o nospace 2>/dev/null ;; esac
  return 0
}
complete -o filenames -o bashdefault -F _galley galley
`;
}

function bashChoice(path: readonly string[], { long, argChoices = [] }: Option): string {
  return `    ${quote(`${path.join(" ")}:${long ?? ""}`)}) COMPREPLY=($(compgen -W ${quote(argChoices.join(" "))} -- "$current")); return ;;`;
}

function zsh(nodes: readonly CommandNode[]): string {
  const functions = nodes.map((node) => {
    const options = node.options.map((option) => zshOption(option));
    const subcommands = node.children.map(
      ({ path, summary }) => `    ${quote(`${zshText(path.at(-1) ?? "")}:${zshText(summary)}`)}`,
    );
    if (subcommands.length === 0) {
      const rest = node.choices.length > 0 ? `'1:choice:(${node.choices.join(" ")})'` : "'*:file:_files'";
      const place = node.beginnings.length > 0 ? ["'1:place:_galley_places'"] : [];
      return `${zshName(node)}() {\n  _arguments ${[...options, ...place, rest].join(" \\\n    ")}\n}`;
    }
    return `${zshName(node)}() {
  local -a commands=(
${subcommands.join("\n")}
  )
  local context state line
  _arguments -C ${[...options, "'1: :->command'", "'*:: :->rest'"].join(" \\\n    ")}
  case $state in
    command) _describe command commands ;;
    rest) (( $+functions[${zshName(node)}_$line[1]] )) && ${zshName(node)}_$line[1] ;;
  esac
}`;
  });
  const kinds = nodes.find(({ beginnings }) => beginnings.length > 0)?.beginnings ?? [];
  const places = `_galley_places() {\n  compadd -S '' -- ${kinds.join(" ")}\n  _files\n}`;
  return `#compdef galley\n${places}\n${functions.join("\n")}\n_galley "$@"\n`;
}

function zshName({ path }: CommandNode): string {
  return ["_galley", ...path].join("_");
}

function zshText(text: string): string {
  return text.replaceAll(":", String.raw`\:`);
}

function zshOption(option: Option): string {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  const choices = option.argChoices ? `(${option.argChoices.join(" ")})` : "_files";
  const value = takesValue(option) ? `:value:${choices}` : "";
  const text = option.description.replaceAll(/[[\]:]/g, String.raw`\$&`);
  return flags.map((flag) => quote(`${flag}[${text}]${value}`)).join(" ");
}

function fish(nodes: readonly CommandNode[]): string {
  const lines = nodes.flatMap((node) => {
    const seen = node.path.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    const inner = node.children.map(({ path }) => path.at(-1) ?? "").join(" ");
    const open = inner === "" ? "" : `not __fish_seen_subcommand_from ${inner}`;
    const condition = quote([seen, open].filter((part) => part !== "").join("; and ") || "true");
    const commands = node.children.map(
      ({ path, summary }) => `complete -c galley -f -n ${condition} -a ${path.at(-1) ?? ""} -d ${quote(summary)}`,
    );
    const choices =
      node.choices.length > 0 ? [`complete -c galley -f -n ${condition} -a ${quote(node.choices.join(" "))}`] : [];
    const places = node.beginnings.map((kind) => `complete -c galley -n ${condition} -a ${quote(kind)}`);
    const options = node.options.map((option) => {
      const short = option.short ? ` -s ${option.short.slice(1)}` : "";
      const long = option.long ? ` -l ${option.long.slice(2)}` : "";
      const value = option.argChoices
        ? ` -x -a ${quote(option.argChoices.join(" "))}`
        : takesValue(option)
          ? " -r"
          : "";
      return `complete -c galley -n ${condition}${short}${long}${value} -d ${quote(option.description)}`;
    });
    return [...commands, ...choices, ...places, ...options];
  });
  return `# fish completion of galley\n${lines.join("\n")}\n`;
}

function powershell(nodes: readonly CommandNode[]): string {
  const table = nodes.map((node) => {
    const words = [...wordsAfter(node), ...node.beginnings, ...flagsOf(node)]
      .map((word) => powershellText(word))
      .join(", ");
    return `    ${powershellText(node.path.join(" "))} = @(${words})`;
  });
  return `# PowerShell completion of galley
Register-ArgumentCompleter -Native -CommandName galley -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $table = @{
${table.join("\n")}
  }
  $command = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    $next = ("$command " + $element.Extent.Text).Trim()
    if ($table.ContainsKey($next)) { $command = $next }
  }
  $table[$command] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}

/** For the POSIX shells and fish. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function powershellText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
