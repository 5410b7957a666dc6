import { GalleyError, type Preset, redactSecrets } from "@galley/engine";
import type { Command } from "commander";
import type { StoredBuild } from "../../store/ports/build-store.ts";
import { buildDocument } from "../input/build-document.ts";
import { type BuildFlags, addBuildFlags, readBuildInput, readSecrets } from "../input/build-input.ts";
import { usualDataFolder } from "../input/options.ts";
import { explainText } from "../print/explain-text.ts";
import { parseCallName, readRecordedCall } from "../input/recorded-call.ts";
import { reportWarnings, toJson } from "../terminal/report.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";
import { withPresets } from "../input/connect.ts";

const examples = `
Examples:
  $ galley explain chat:demo                                     what the model has read in the newest call of a chat
  $ galley explain chat:demo#3 --json                            in its third
  $ galley explain --preset examples/recipes.json --model gpt-6.1-sol --session examples/session.jsonl
  $ galley explain --preset examples/simple.json --input "Where were we?" --budget 8000
  $ cat session.jsonl | galley explain --session - --json`;

/** `galley explain`: a build as a table with the reason for every message, sent or not. */
export function defineExplain(command: Command, terminal: Terminal): void {
  command
    .description("The build as a table: position, role, source, tokens, why; then what was not sent and why.")
    .argument("[call]", "a call that was run, as it was sent: chat:demo#3, or chat:demo for the newest of the chat");
  addBuildFlags(command)
    .addHelpText("after", examples)
    .action(async (call: string | undefined, flags: BuildFlags) => {
      terminal.out(await (call === undefined ? explainBuild(flags, terminal) : explainCall(call, flags, terminal)));
    });
}

async function explainBuild(flags: BuildFlags, terminal: Terminal): Promise<string> {
  const input = await readBuildInput(flags, terminal);
  const { document } = buildDocument(input);
  if (flags.json) return toJson(document);
  reportWarnings(document.warnings, terminal);
  return explainText(document, terminal, redactSecrets(input.request.preset, input.secrets));
}

async function explainCall(call: string, flags: BuildFlags, terminal: Terminal): Promise<string> {
  const { json, secret = [], data = usualDataFolder(), ...others } = flags;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new GalleyError("BadUsage", `A call that was run is shown as it was sent: --${other} has no effect on it.`, {
      hint: `Leave --${other} out, or leave ${call} out to build anew.`,
    });
  }
  const secrets = readSecrets(secret);
  const { raw: _, ...found } = await readRecordedCall(parseCallName(call), data);
  const build = redactSecrets(found, secrets);
  if (json) return toJson(build);
  reportWarnings(build.problems, terminal);
  const text = { ...build, budget: { from: "flag", tokens: build.budget } } as const;
  return headOf(call, build, terminal) + explainText(text, terminal, await presetOf(build, data));
}

function headOf(call: string, { n, at, model, usage }: Omit<StoredBuild, "raw">, terminal: Terminal): string {
  const name = styleFor(terminal).bold(`${parseCallName(call).sessionId}#${n}`);
  const answered = usage ? `the provider counted ${usage.inputTokens.toLocaleString("en-US")}` : "not answered";
  return `${name}, sent to ${model} at ${new Date(at).toISOString()}; ${answered}\n`;
}

/** For the names of its messages, as they are today; a preset that is gone leaves their ids. */
async function presetOf({ presetId }: Omit<StoredBuild, "raw">, data: string): Promise<Preset | undefined> {
  if (presetId === undefined) return undefined;
  try {
    return (await withPresets(data, (presets) => presets.get(presetId))).preset;
  } catch {
    return undefined;
  }
}
