import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { RouteInput } from "../../../api/index.ts";
import { archetypes } from "../../../config/providers/agent-meta.ts";
import { type AgentFlags, agentsOf } from "../../input/agent-flags.ts";
import { connect } from "../../input/connect.ts";
import { existingDataFolder } from "../../input/files.ts";
import { collected } from "../../input/options.ts";
import { printResult } from "../../terminal/report.ts";
import { elastic, listText } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface AddFlags extends AgentFlags {
  readonly program?: string;
  readonly command?: string;
  readonly arg?: readonly string[];
  readonly backend?: string;
  readonly cwd?: string;
  readonly archetype?: (typeof archetypes)[number];
  readonly model?: string;
  readonly preset?: string;
  readonly rules?: readonly string[];
  readonly skills?: readonly string[];
  readonly mcp?: readonly string[];
  readonly without?: readonly string[];
  readonly allow?: readonly string[];
}

type Body = RouteInput<"agents.save">["body"];

const examples = `
What is added is kept in your own configuration folder, for this data folder alone; galley.config wins over it.
Changed are the flags that are given; the others stay as they are.

Examples:
  $ galley agent programs
  $ galley agent add mara --program claude-code --archetype repo
  $ galley agent add mine --command node --arg my-agent.js --cwd ../other --rules AGENTS.md
  $ galley agent prompt mara "Hello"`;

export function defineOwnAgents(add: (name: string, description: string) => Command, terminal: Terminal): void {
  add("add", "Adds an agent to the data folder, or changes one that was added.")
    .argument("<name>", "what it is called")
    .option("--program <id>", "a known program: claude-code, codex, gemini, opencode, qwen …")
    .option("--command <program>", "a program of your own that speaks ACP on its standard streams")
    .option("--arg <text>", "an argument of that program; may be given again", collected)
    .option("--backend <type>", "which program it is, for the way in which system text is given")
    .option("--cwd <folder>", "the folder in which it works (default: the project)")
    .addOption(new Option("--archetype <type>", "which tools it may use: repo fewest").choices([...archetypes]))
    .option("-m, --model <id>", "the model of turns that Galley runs for it")
    .option("--preset <id>", "the preset of those turns")
    .option("--rules <file>", "a text that its sessions are given; may be given again", collected)
    .option("--skills <folder>", "a folder of skills; may be given again", collected)
    .option("--mcp <file>", "a file with mcpServers; may be given again", collected)
    .option("--without <provider>", "a provider that it does without; may be given again", collected)
    .option("--allow <tool>", "a kind or a name of tools that it may use without asking; may be given again", collected)
    .addHelpText("after", examples)
    .action(async (name: string, flags: AddFlags) => {
      const { agent, command } = await save(name, flags);
      printResult(terminal, flags, agent, () => `${agent.name} is there. galley agent ${command} ${agent.name}\n`);
    });
  add("remove", "Stops an agent that was added and takes it away; its chat stays.")
    .argument("<name>", "which one")
    .action(async (name: string, flags: AgentFlags) => {
      const daemon = await connect(flags);
      if (daemon) await daemon.call("agents.delete", { params: { name } });
      else await (await agentsOf(flags)).remove(name);
      printResult(terminal, flags, { removed: name }, () => `${name} is gone; its chat agent:${name} stays.\n`);
    });
  add("programs", "Lists the programs that Galley knows, and which of them are installed.").action(
    async (flags: AgentFlags) => {
      const programs = (await agentsOf(flags)).programs();
      printResult(terminal, flags, { programs }, () =>
        listText(programs, terminal, undefined, {
          program: "id",
          name: "label",
          installed: ({ installed }) => (installed ? "yes" : "no"),
          "where, or how to install it": elastic("why"),
        }),
      );
    },
  );
}

async function save(name: string, flags: AddFlags) {
  const body = bodyOf(flags);
  const daemon = await connect(flags);
  if (daemon) return { agent: await daemon.call("agents.save", { params: { name }, body }), command: "start" };
  existingDataFolder(flags.data);
  const agent = await (await agentsOf(flags)).save({ name, ...body });
  return { agent: { name: agent.name, archetype: agent.archetype, backendType: agent.backendType }, command: "prompt" };
}

/** Paths are seen from here, where the person stands; what is not given is not changed. */
function bodyOf(flags: AddFlags): Body {
  const { program, command, arg, backend, cwd, archetype, model, preset, without, allow } = flags;
  const named = (type: string, index: number): object => (index === 0 ? {} : { name: `${type}-${index + 1}` });
  const providers = [
    ...(flags.rules ?? []).map((file, at) => ({ type: "rules" as const, file: resolve(file), ...named("rules", at) })),
    ...(flags.skills ? [{ type: "skills" as const, folders: flags.skills.map((folder) => resolve(folder)) }] : []),
    ...(flags.mcp ?? []).map((file, at) => ({ type: "mcp" as const, file: resolve(file), ...named("mcp", at) })),
  ];
  const given = {
    program,
    command,
    args: arg ?? (command === undefined ? undefined : []),
    backendType: backend,
    cwd: cwd === undefined ? undefined : resolve(cwd),
    archetype,
    model,
    preset,
    providers: providers.length === 0 ? undefined : providers,
    withoutProviders: without,
    permissions: allow && { allow },
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
