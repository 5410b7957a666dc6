import {
  type Build,
  GalleyError,
  type Secrets,
  type WireProvider,
  exportFor,
  formatSession,
  recordBuild,
  redactSecrets,
  wireProviders,
} from "@galley/engine";
import { type Command, Option } from "commander";
import { type BuildDocument, type BuiltDocument, buildDocument, nothingSent } from "../../input/build-document.ts";
import {
  type BuildFlags,
  type BuildInput,
  addBuildFlags,
  flagsOfPlace,
  readBuildInput,
} from "../../input/build-input.ts";
import type { TurnPlace } from "../../../turn/services/turn-types.ts";
import { placeOfFlags, readNextCall } from "../../input/next-call.ts";
import { cleanLines } from "../../terminal/clean-text.ts";
import { appendLines } from "../../input/files.ts";
import { reportWarnings, toJson } from "../../terminal/report.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface BuildCommandFlags extends BuildFlags {
  readonly as?: WireProvider;
}

const examples = `
Examples:
  $ galley build chat:demo --input "Where were we?"              what the next call of a chat would send
  $ galley build --preset examples/recipes.json --model gpt-6.1-sol --session examples/session.jsonl
  $ galley build --preset examples/simple.json --input "Where were we?" --budget 8000 --json
  $ cat session.jsonl | galley build --session - --json`;

export function defineBuild(command: Command, terminal: Terminal): void {
  command
    .description("Composes a preset and a history into the exact list of messages that a model reads, under a budget.")
    .argument(
      "[place]",
      "the next call of a place: chat:KEY, agent:NAME, a session's id, with its history, preset, settings, tools and calibration; or a session file, or -",
    );
  addBuildFlags(command)
    .option("--append", "append the input, what was decided and a record of the build to the session file")
    .addOption(new Option("--as <provider>", "print the request as this provider wants it").choices([...wireProviders]))
    .addHelpText("after", examples)
    .action(async (named: string | undefined, given: BuildCommandFlags) => {
      const flags = flagsOfPlace(named, given);
      const place = await placeOfFlags(flags);
      if (place) return showNextCall(place, flags, terminal);
      const input = await readBuildInput(flags, terminal);
      const result = buildDocument(input);
      if (flags.append) await appendToSession(flags.session, input, result);
      if (!flags.json) reportWarnings(result.document.warnings, terminal);
      if (!flags.json && result.document.messages.length === 0) terminal.err(`${nothingSent}\n`);
      const { request, secrets } = input;
      terminal.out(
        flags.as
          ? requestText(flags.as, { ...result.built, model: request.model }, secrets)
          : buildText(flags, result.document, terminal),
      );
    });
}

async function showNextCall(place: TurnPlace, flags: BuildCommandFlags, terminal: Terminal): Promise<void> {
  const document = await readNextCall(place, flags, terminal);
  if (!flags.json) reportWarnings(document.warnings, terminal);
  terminal.out(flags.as ? requestText(flags.as, document, {}) : buildText(flags, document, terminal));
}

function buildText(flags: BuildFlags, document: BuildDocument, terminal: Terminal): string {
  if (flags.json) return toJson(document);
  const text = document.messages
    .map(
      ({ role, content }) =>
        `── ${role}\n${typeof content === "string" ? content : JSON.stringify(content, null, 2)}\n\n`,
    )
    .join("");
  // A file gets the texts as they are; a terminal must not be steered by them.
  return terminal.isTerminal ? cleanLines(text) : text;
}

function requestText(
  provider: WireProvider,
  built: Pick<Build, "messages" | "tools" | "stablePrefix"> & { readonly model?: string | undefined },
  secrets: Secrets,
): string {
  const { messages, tools, stablePrefix, model } = built;
  const cacheBreakpoints = stablePrefix > 0 && stablePrefix < messages.length ? [stablePrefix - 1] : [];
  const exported = exportFor(provider, {
    messages,
    tools,
    cacheBreakpoints,
    model,
  });
  return toJson(redactSecrets(exported.request, secrets));
}

async function appendToSession(
  file: string | undefined,
  { request, secrets }: BuildInput,
  { built }: BuiltDocument,
): Promise<void> {
  if (file === undefined || file === "-") {
    throw new GalleyError("BadUsage", "--append needs a session file to append to.", {
      hint: "Name one with --session.",
    });
  }
  const record = recordBuild(request, built, { secrets });
  const isKnown = request.entries.some((entry) => entry.id === record.id);
  const entries = redactSecrets([...built.entriesToAppend, ...(isKnown ? [] : [record])], secrets);
  await appendLines(file, formatSession(entries));
}
