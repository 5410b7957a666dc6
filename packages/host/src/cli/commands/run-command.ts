import { existsSync } from "node:fs";
import { GalleyError, type Preset, parsePreset } from "@galley/engine";
import type { Command } from "commander";
import type { RunEvent } from "../../api/run-event.ts";
import { cleanLines } from "../terminal/clean-text.ts";
import { startRun } from "../input/connect.ts";
import { addFolderFlags, type FolderFlags, wholeNumberFrom } from "../input/options.ts";
import { readText } from "../input/files.ts";
import { onOneLine } from "../terminal/table.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";
import { interruptible } from "../terminal/until-signal.ts";

/** What is asked for, as the flags name it. */
interface Asked {
  readonly chat?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly preset?: string;
  readonly budget?: number;
}

interface RunBody extends Omit<Asked, "preset"> {
  readonly input: string;
  readonly preset?: string | Preset;
}

interface RunFlags extends FolderFlags {
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

const examples = `
Examples:
  $ galley run "How far do 420 litres take us?" --chat demo
  $ galley run "new topic: lunch" --chat demo              the demo model switches the context
  $ galley run "Who are you?" --chat mara --preset mara.json   with what galley import wrote
  $ git diff | galley run - --session review --model claude-sonnet-5-5`;

/** `galley run`: one turn of a chat, a session or an agent, with a model and its tools. */
export function defineRun(command: Command, terminal: Terminal, fail: (code: number) => void): void {
  addFolderFlags(command)
    .description(
      "Builds what the model reads, calls it and the tools that it asks for, and keeps what was said. Without a key, the built-in demo model answers.",
    )
    .argument("<text>", "what is said; - reads standard input")
    .option("-c, --chat <key>", "in this chat")
    .option("-s, --session <id>", "in this session of the store, which has no working contexts")
    .option("--agent <name>", "as this agent of the configuration")
    .option("-m, --model <id>", "the model (default: the chat's, then the configuration's)")
    .option("-p, --preset <id>", "a preset of the library, or a file (default: the chat's, then default)")
    .option("-b, --budget <tokens>", "the most that may be sent", wholeNumberFrom(1))
    .option("--config <folder>", "the folder of galley.config (default: looked for from here upwards)")
    .option("--json", "print the events of the run, one JSON document on each line")
    .addHelpText("after", examples)
    .action(async (text: string, { data, token, config, json, preset: named, ...asked }: RunFlags & Asked) => {
      checkPlace(asked);
      const preset = named === undefined ? {} : { preset: await presetNamed(named, terminal) };
      const input = text === "-" ? await terminal.readStdin() : text;
      const body = { ...asked, ...preset, input };
      await interruptible(fail, (signalled) => run(body, { data, token, config, json }, terminal, signalled));
    });
}

/** A name of the library stays one; a path, or a file that is there, is read: what `galley import` wrote, for one. */
async function presetNamed(name: string, terminal: Terminal): Promise<string | Preset> {
  const isFile = /[\\/]/.test(name) || (name.endsWith(".json") && existsSync(name));
  return isFile ? parsePreset(await readText(name, terminal)).preset : name;
}

function checkPlace({ chat, session, agent }: Asked): void {
  if ([chat, session, agent].filter((place) => place !== undefined).length === 1) return;
  throw new GalleyError("BadUsage", "A turn belongs to exactly one of --chat, --session and --agent.", {
    hint: "Any name will do: --chat demo",
  });
}

async function run(body: RunBody, flags: RunFlags, terminal: Terminal, signalled: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  void signalled.then(() => stop.abort());
  let isOver = false;
  for await (const event of startRun(body, { ...flags, signal: stop.signal })) {
    if (flags.json) terminal.out(`${JSON.stringify(event)}\n`);
    else show(event, terminal);
    isOver ||= event.type === "run:finished";
    if (event.type === "run:failed")
      throw (await import("../../daemon/client/daemon-client.ts")).errorOfBody(event.error);
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
