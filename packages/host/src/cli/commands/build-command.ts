import {
  GalleyError,
  type WireProvider,
  exportFor,
  formatSession,
  recordBuild,
  redactSecrets,
  wireProviders,
} from "@galley/engine";
import { type Command, Option } from "commander";
import { type BuiltDocument, buildDocument, nothingSent } from "../input/build-document.ts";
import { type BuildFlags, type BuildInput, addBuildFlags, readBuildInput } from "../input/build-input.ts";
import { cleanLines } from "../terminal/clean-text.ts";
import { appendLines } from "../input/files.ts";
import { reportWarnings, toJson } from "../terminal/report.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface BuildCommandFlags extends BuildFlags {
  readonly as?: WireProvider;
}

const examples = `
Examples:
  $ galley build --preset examples/recipes.json --model gpt-6.1-sol --session examples/session.jsonl
  $ galley build --preset examples/simple.json --input "Where were we?" --budget 8000 --json
  $ cat session.jsonl | galley build --session - --json`;

/** `galley build`: the messages that a model would read. */
export function defineBuild(command: Command, terminal: Terminal): void {
  command.description(
    "Composes a preset and a history into the exact list of messages that a model reads, under a budget.",
  );
  addBuildFlags(command)
    .option("--append", "append the input, what was decided and a record of the build to the session file")
    .addOption(new Option("--as <provider>", "print the request as this provider wants it").choices([...wireProviders]))
    .addHelpText("after", examples)
    .action(async (flags: BuildCommandFlags) => {
      const input = await readBuildInput(flags, terminal);
      const result = buildDocument(input);
      if (flags.append) await appendToSession(flags.session, input, result);
      if (!flags.json) reportWarnings(result.document.warnings, terminal);
      if (!flags.json && result.document.messages.length === 0) terminal.err(`${nothingSent}\n`);
      terminal.out(flags.as ? requestText(flags.as, input, result) : buildText(flags, result, terminal));
    });
}

function buildText(flags: BuildFlags, { document }: BuiltDocument, terminal: Terminal): string {
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

function requestText(provider: WireProvider, { secrets, request }: BuildInput, { built }: BuiltDocument): string {
  const cacheBreakpoints =
    built.stablePrefix > 0 && built.stablePrefix < built.messages.length ? [built.stablePrefix - 1] : [];
  const { messages, tools } = built;
  const exported = exportFor(provider, {
    messages,
    tools,
    cacheBreakpoints,
    ...(request.model === undefined ? {} : { model: request.model }),
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
