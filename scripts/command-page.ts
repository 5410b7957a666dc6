import { type CommandNode, commandTree, makeProgram } from "galley/command";

const head = `# The command

\`galley\` in full. Every command takes \`--json\` where it prints a result, and then writes one JSON document to standard output and nothing else (streaming ones: one on each line). Errors go to standard error with a code and a hint. Exit codes: 0 done, 1 an error, 2 a wrong call, 128 and the number of the signal that stopped a run (130 after Ctrl+C). No command asks questions when its input is no terminal.

This page is written by \`npm run docs\` from the command itself.
`;

/** The manual page of the command, as markdown. */
export async function commandPage(): Promise<string> {
  let printed = "";
  const terminal = {
    isTerminal: false,
    isColoured: false,
    columns: 100,
    out: (text: string) => void (printed += text),
    err: (text: string) => void (printed += text),
    readStdin: async () => "",
    readLines: async function* () {},
    readPieces: async function* () {},
  };
  const helpOf = ({ command }: CommandNode): string => {
    printed = "";
    command.outputHelp();
    return printed.trimEnd();
  };
  const root = commandTree(await makeProgram(terminal, () => undefined));
  const overview = root.children.map(
    ({ path, summary }) => `| [\`galley ${path.join(" ")}\`](#galley-${path.join("-")}) | ${cell(summary)} |`,
  );
  const sections = root.children.flatMap((node) => sectionsOf(node, helpOf));
  return `${head}\n| command | does |\n|---|---|\n${overview.join("\n")}\n\n${sections.join("\n")}`;
}

function sectionsOf(node: CommandNode, helpOf: (node: CommandNode) => string): readonly string[] {
  const { path, children } = node;
  const title = `${"#".repeat(path.length + 1)} galley ${path.join(" ")}`;
  return [`${title}\n\n\`\`\`\n${helpOf(node)}\n\`\`\`\n`, ...children.flatMap((child) => sectionsOf(child, helpOf))];
}

function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}
