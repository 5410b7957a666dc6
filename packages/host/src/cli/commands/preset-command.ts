import {
  GalleyError,
  type Preset,
  type Problem,
  checkPreset,
  getAvailableAnchors,
  isAdvanced,
  parseJson,
  parsePreset,
  toAdvanced,
  toSimple,
} from "@galley/engine";
import type { Command } from "commander";
import { readText, writeText } from "../input/files.ts";
import { addPresetLibraryCommands } from "./preset-library-commands.ts";
import { printResult, problemText } from "../terminal/report.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

interface ConvertFlags {
  readonly to?: string;
  readonly model?: string;
  readonly out?: string;
  readonly force?: boolean;
}

/** `galley preset`: check a preset, convert it between its two forms, or keep it in the library. */
export function definePreset(preset: Command, terminal: Terminal, fail: () => void): void {
  preset
    .command("check")
    .argument("<file>", "preset (JSON); - reads standard input")
    .description("Lists everything that is wrong with a preset, each with its path and a hint.")
    .option("--json", "print one JSON document")
    .action(async (file: string, flags: { readonly json?: boolean }) => {
      const value = parseJson(await readText(file, terminal), { what: `preset ${file}` });
      const problems = checkPreset(value);
      const isValid = !problems.some((problem) => problem.severity === "error");
      printResult(terminal, flags, { isValid, problems }, () => checkText(value, problems, terminal));
      if (!isValid) fail();
    });
  preset
    .command("convert")
    .argument("<file>", "preset (JSON); - reads standard input")
    .description(
      "Converts a preset into its other form. The advanced form builds the same bytes; the simple form holds one recipe.",
    )
    .option("--to <form>", "simple or advanced (default: the other one)")
    .option("-m, --model <id>", "the model whose recipe becomes the simple list")
    .option("-o, --out <file>", "write to a file instead of standard output")
    .option("--force", "replace a file that is there already")
    .option("--json", "the output is JSON in any case")
    .action(async (file: string, flags: ConvertFlags) => {
      const { preset: source } = parsePreset(await readText(file, terminal));
      const text = `${JSON.stringify(convert(source, flags), null, 2)}\n`;
      await writeText(flags.out, text, terminal, { isForced: flags.force === true });
    });
  addPresetLibraryCommands(preset, terminal);
}

function convert(preset: Preset, { to, model }: ConvertFlags): Preset {
  const form = to ?? (isAdvanced(preset) ? "simple" : "advanced");
  if (form === "advanced") return toAdvanced(preset);
  if (form !== "simple") {
    throw new GalleyError("BadUsage", `--to ${form} is no form of a preset.`, {
      hint: "Write --to simple or --to advanced.",
    });
  }
  const { messageTemplates: _templates, contextRecipes: _recipes, ...rest } = preset;
  return { ...rest, presetMessages: toSimple(preset, model) };
}

function checkText(value: unknown, problems: readonly Problem[], terminal: Terminal): string {
  const style = styleFor(terminal);
  const list = problems.map((problem) => problemText(problem, terminal)).join("");
  const errors = problems.filter((problem) => problem.severity === "error").length;
  if (errors > 0) return `${list}${style.red(`${errors} ${errors === 1 ? "error" : "errors"}`)}\n`;
  return `${list}${style.green("valid")}: ${describe(value as Preset)}\n`;
}

function describe(preset: Preset): string {
  if (!isAdvanced(preset)) {
    const messages = preset.presetMessages ?? [];
    return `simple, ${messages.length} messages, anchors ${getAvailableAnchors(messages).join(", ")}`;
  }
  const { messageTemplates = [], contextRecipes = [] } = preset;
  const recipes = contextRecipes.map((recipe) => `${recipe.id} (${recipe.modelFilter.join(", ")})`).join(", ");
  const anchors = getAvailableAnchors(messageTemplates).join(", ");
  return `advanced, ${messageTemplates.length} templates, anchors ${anchors}\nrecipes: ${recipes}`;
}
