import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import type { RunEvent } from "../../../api/run-event.ts";
import { cleanLines } from "../../terminal/clean-text.ts";
import { startRun } from "../../input/start-run.ts";
import { addFolderFlags, type PrintFlags } from "../../input/options.ts";
import { type SettingsFlags, addSettingsFlags, readSettingsFlags } from "../../input/settings-flags.ts";
import { presetNamed } from "../../input/build-input.ts";
import { reportWarnings } from "../../terminal/report.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";
import { interruptible } from "../../terminal/until-signal.ts";

interface RunFlags extends PrintFlags, SettingsFlags {
  readonly config?: string;
  readonly chat?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly preset?: string;
  readonly regenerate?: true;
}

const examples = `
Examples:
  $ galley run "How far do 420 litres take us?" --chat demo
  $ galley run "new topic: lunch" --chat demo              the demo model switches the context
  $ galley run "Who are you?" --chat mara --preset mara.json   with what galley import wrote
  $ galley run "Where were we?" --chat demo --budget 32k --user-profile me.md --var char=Ada
  $ git diff | galley run - --session review --model claude-sonnet-5-5`;

/** `galley run`: one turn of a chat, a session or an agent, with a model and its tools. */
export function defineRun(command: Command, terminal: Terminal, fail: (code: number) => void): void {
  addFolderFlags(command);
  addPlaceFlags(command);
  addSettingsFlags(command)
    .description(
      "Builds what the model reads, calls it and the tools that it asks for, and keeps what was said. Without a key, the built-in demo model answers.",
    )
    .argument("[text]", "what is said; - reads standard input")
    .option("--regenerate", "answer the last message of the chat again; galley chat alternates lists the answers")
    .option("-m, --model <id>", "the model (default: the chat's, then the configuration's)")
    .option("-p, --preset <id>", "a preset of the library, or a file (default: the chat's, then default)")
    .option("--config <folder>", "the folder of galley.config (default: looked for from here upwards)")
    .option("--json", "print the events of the run, one JSON document on each line")
    .addHelpText("after", examples)
    .action(async (text: string | undefined, flags: RunFlags) => {
      const { chat, session, agent, model, regenerate } = flags;
      checkPlace(flags);
      checkSaid(text, flags);
      const preset = flags.preset === undefined ? undefined : await presetNamed(flags.preset, terminal);
      const input = text === "-" ? await terminal.readStdin() : (text ?? "");
      const context = await readSettingsFlags(flags, terminal);
      const settings = Object.keys(context).length === 0 ? undefined : context;
      const given = Object.entries({ chat, session, agent, model, preset, context: settings });
      const body = Object.fromEntries(given.filter(([, value]) => value !== undefined));
      const request = regenerate ? { ...body, regenerate } : { ...body, input };
      await interruptible(fail, (signalled) => run(request, flags, terminal, signalled));
    });
}

function addPlaceFlags(command: Command): void {
  command
    .option("-c, --chat <key>", "in this chat")
    .option("-s, --session <id>", "in this session of the store, which has no working contexts")
    .option("--agent <name>", "as this agent of the configuration");
}

function checkPlace({ chat, session, agent }: RunFlags): void {
  if ([chat, session, agent].filter((place) => place !== undefined).length === 1) return;
  throw new GalleyError("BadUsage", "A turn belongs to exactly one of --chat, --session and --agent.", {
    hint: "Any name will do: --chat demo",
  });
}

function checkSaid(text: string | undefined, { chat, regenerate }: RunFlags): void {
  if (!regenerate && text !== undefined) return;
  if (regenerate && text === undefined && chat !== undefined) return;
  const message = regenerate ? "--regenerate answers the last message of a chat again." : "Nothing is said.";
  throw new GalleyError("BadUsage", message, {
    hint: regenerate ? "galley run --chat demo --regenerate" : 'galley run "Hello" --chat demo',
  });
}

async function run(
  body: Parameters<typeof startRun>[0],
  flags: RunFlags,
  terminal: Terminal,
  signalled: Promise<unknown>,
): Promise<void> {
  const stop = new AbortController();
  void signalled.then(() => stop.abort());
  let isOver = false;
  const { data, token, config } = flags;
  for await (const event of startRun(body, { data, token, config, signal: stop.signal })) {
    if (flags.json) terminal.out(`${JSON.stringify(event)}\n`);
    else show(event, terminal);
    isOver ||= event.type === "run:finished";
    if (event.type === "run:failed")
      throw (await import("../../../daemon/client/daemon-client.ts")).errorOfBody(event.error);
    if (event.type === "run:aborted") throw new GalleyError("RunAborted", `The run was stopped: ${event.reason}`);
  }
  if (isOver) return;
  throw new GalleyError("DaemonNotRunning", "The daemon was stopped before the run was over.", {
    hint: "Its next start goes on with the run: `galley up`.",
  });
}

/** The answer goes to standard output; what happens on the way goes to standard error. */
function show(event: RunEvent, terminal: Terminal): void {
  const style = styleFor(terminal);
  const aside = (text: string): void => terminal.err(style.dim(`[${text}]\n`));
  switch (event.type) {
    case "text":
      terminal.out(terminal.isTerminal ? cleanLines(event.delta) : event.delta);
      return;
    case "build":
      // The calls of a turn have the same ones.
      if (event.callOfTurn === 1) reportWarnings(event.problems ?? [], terminal);
      aside(`call ${event.n} of ${event.session}: ${event.stats.inputTokens} tokens`);
      return;
    case "tool:call":
      aside(`${event.name} ${onOneLine(JSON.stringify(event.input), 120)}`);
      return;
    case "tool:result":
      if (event.isError) aside(`${event.name} failed: ${onOneLine(JSON.stringify(event.output), 120)}`);
      return;
    case "overflow:recovered":
      aside(`built again, smaller: ${onOneLine(event.reason, 120)}`);
      return;
    case "run:finished":
      terminal.out("\n");
      return;
    case "run:started":
    case "reasoning":
    case "context:switched":
    case "run:aborted":
    case "run:failed":
      return;
  }
}
