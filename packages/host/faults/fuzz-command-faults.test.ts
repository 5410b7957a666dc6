import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chance, type FuzzRounds, fuzz, fuzzSeed, oddText, roundsOf } from "@galley/engine/testing";
import { afterAll, expect, test } from "vitest";
import { type Run, galley } from "../src/cli/testing/run-command.ts";
import { type CommandNode, commandTree, flattenTree } from "../src/cli/print/command-tree.ts";
import { makeProgram } from "../src/cli/program.ts";
import { claimFault } from "./claim-fault.ts";
import { exampleText, jsonFile, linesFile, spoilFile } from "./fuzz-sources.ts";
import { tavernSources } from "./tavern-sources.ts";

const root = mkdtempSync(join(tmpdir(), "galley-fuzz-command-"));
const before = process.cwd();
afterAll(() => {
  process.chdir(before);
  rmSync(root, { recursive: true, force: true });
});

/** Any text that names nothing outside of the folder in which the command runs: it may be written to. */
function harmless(chance: Chance): string {
  const text = oddText(chance);
  return /[/\\]|\.\./.test(text) ? "x" : text;
}

const silent = {
  isTerminal: false,
  isColoured: false,
  columns: 80,
  out: () => {},
  err: () => {},
  readStdin: async () => "",
  readLines: async function* () {},
  readPieces: async function* () {},
};

/** Those that go on until they are stopped, or start other programs. */
const longRunning = new Set([
  "up",
  "open",
  "down",
  "worker",
  "mcp",
  "agent",
  "run",
  "delegate",
  "fork",
  "inject",
  "tool",
]);
const commands = flattenTree(commandTree(await makeProgram(silent, () => {}))).filter(
  ({ path }) => !longRunning.has(path[0] ?? ""),
);

function wordsFor(command: CommandNode, values: readonly string[], chance: Chance): string[] {
  const { choices } = command;
  // A database that is not there is waited for.
  const options = command.options.filter(({ long }) => long !== "--postgres" && long !== "--data");
  const value = (): string => (chance.oneIn(3) ? harmless(chance) : chance.pick(values));
  return Array.from({ length: chance.below(6) }, (): string[] => {
    if (chance.oneIn(3) || options.length === 0) return [choices.length > 0 ? chance.pick(choices) : value()];
    const option = chance.pick(options);
    const flag = option.long ?? option.short ?? "--json";
    const known = option.argChoices ?? [];
    const given = known.length > 0 && !chance.oneIn(3) ? chance.pick(known) : value();
    return option.isBoolean() ? [flag] : chance.oneIn(4) ? [`${flag}=${given}`] : [flag, given];
  }).flat();
}

const rounds: FuzzRounds = { few: 150, many: 5000 };
/** What is wrong with the way in which it ended, if something is. */
function faultOf({ code, out, err }: Run): string {
  const printed = `${out}${err}`;
  if (![0, 1, 2].includes(code)) return `exit code ${code}`;
  if (stack.test(printed)) return printed.slice(0, 1000);
  return code !== 0 && printed.trim() === "" ? "no word about what is wrong" : "";
}

const stack = /\n\s+at .*:\d+:\d+/;

test(
  `[E] any words behind galley: an exit code from 0 to 2, and never a stack trace (seed ${fuzzSeed})`,
  { timeout: 1_800_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "galley with arguments and files that make no sense",
      holds: "it ends with 0, 1 or 2, prints no stack trace, and an error says what it is",
      rounds: roundsOf(rounds),
      seed: fuzzSeed,
    });
    const sources = [
      jsonFile("recipes.json", JSON.parse(exampleText("recipes.json"))),
      linesFile(
        "session.jsonl",
        ...exampleText("session.jsonl")
          .trim()
          .split("\n")
          .map((line): unknown => JSON.parse(line)),
      ),
      ...tavernSources,
    ];
    await fuzz("command", rounds, async (chance, round) => {
      const folder = join(root, String(round));
      mkdirSync(folder);
      process.chdir(folder);
      const file = (name: string, bytes: Uint8Array): string => {
        writeFileSync(join(folder, name), bytes);
        return join(folder, name);
      };
      const source = chance.pick(sources);
      const spoilt = file("spoilt", spoilFile(source, chance));
      const good = file("good", source.bytes);
      const values = [
        spoilt,
        good,
        join(folder, "none"),
        folder,
        "-",
        "demo",
        "5",
        "gpt-5",
        "tea",
        join(folder, "out.json"),
      ];
      const command = chance.pick(commands);
      const args = [...command.path, ...wordsFor(command, values, chance), ...(chance.oneIn(3) ? ["--json"] : [])];
      const data = command.options.some(({ long }) => long === "--data") ? ["--data", join(folder, "data")] : [];
      const stdin = chance.oneIn(2) ? "" : Buffer.from(spoilFile(source, chance)).toString("utf8");
      const said = args.map((word) => JSON.stringify(word.slice(0, 200))).join(" ");
      try {
        expect(faultOf(await galley([...args, ...data], stdin))).toBe("");
      } catch (cause) {
        throw new Error(`galley ${said}: ${String(cause)}`, { cause });
      }
      process.chdir(root);
      rmSync(folder, { recursive: true, force: true });
    });
  },
);
