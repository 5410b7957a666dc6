import {
  checkPreset,
  GalleyError,
  getAvailableAnchors,
  isAdvanced,
  parseJson,
  parsePreset,
  type Preset,
  type Problem,
  toAdvanced,
  toSimple,
} from "@galley/engine";
import { reviveEntries, sleepingEntries } from "@galley/engine/sillytavern";
import type { Command } from "commander";
import type { SavedPreset } from "../../../presets/preset-files.ts";
import type { PresetItem, PresetLibrary, PresetVersion } from "../../../presets/preset-library.ts";
import { withPresets } from "../../input/connect.ts";
import { definePresetActivate } from "./preset-activate.ts";
import { readText, writeFiles, writeText } from "../../input/files.ts";
import { addPrintFlags, type PrintFlags, requireConfirmation, wholeNumberFrom } from "../../input/options.ts";
import { printResult, problemText, reportWarnings, toJson } from "../../terminal/report.ts";
import { elastic, listText, timeText } from "../../terminal/table.ts";
import { styleFor, type Terminal } from "../../terminal/terminal.ts";

/** Where a preset is written. */
interface OutFlags {
  readonly out?: string;
  readonly force?: boolean;
}

interface ConvertFlags extends OutFlags {
  readonly to?: string;
  readonly model?: string;
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
      const sleeping = isValid ? sleepingEntries(value as Preset) : 0;
      printResult(terminal, flags, { isValid, problems, sleeping }, () =>
        [checkText(value, problems, terminal), sleepingText(sleeping, file)].join(""),
      );
      if (!isValid) fail();
    });
  const converting = preset
    .command("convert")
    .argument("<file>", "preset (JSON); - reads standard input")
    .description(
      "Converts a preset into its other form. The advanced form builds the same bytes; the simple form holds one recipe.",
    )
    .option("--to <form>", "simple or advanced (default: the other one)")
    .option("-m, --model <id>", "the model whose recipe becomes the simple list");
  addRewriting(converting, terminal, convert);
  definePresetActivate(preset.command("activate"), terminal);
  const reviving = preset
    .command("revive")
    .argument("<file>", "preset (JSON) that an earlier version of galley import wrote; - reads standard input")
    .description(
      "Brings the lorebook entries of an earlier import alive, from what it kept of them: they come by their keys. " +
        "Entries that were switched off by hand stay off.",
    );
  addRewriting(reviving, terminal, reviveEntries);
  addListCommands(preset, terminal);
  addGetCommand(preset, terminal);
  addSaveCommand(preset, terminal);
  addDeleteCommand(preset, terminal);
}

/** A command that makes another preset of the one that it reads. */
function addRewriting(
  command: Command,
  terminal: Terminal,
  rewrite: (preset: Preset, flags: ConvertFlags) => Preset,
): void {
  addOutFlags(command)
    .option("--json", "the output is JSON in any case")
    .action(async (file: string, flags: ConvertFlags) => {
      const { preset } = parsePreset(await readText(file, terminal));
      await writeText(flags.out, toJson(rewrite(preset, flags)), terminal, { isForced: flags.force === true });
    });
}

function addOutFlags(command: Command): Command {
  return command
    .option("-o, --out <file>", "write to a file instead of standard output")
    .option("--force", "replace a file that already exists");
}

/** Offers to bring entries alive that an earlier version imported. */
function sleepingText(sleeping: number, file: string): string {
  if (sleeping === 0) return "";
  const what = `${sleeping} lorebook entries of an earlier import do not come by their keys.`;
  return `${what} To bring them alive: galley preset revive ${file} --out NEW.json\n`;
}

function convert(preset: Preset, { to, model }: ConvertFlags): Preset {
  const form = to ?? (isAdvanced(preset) ? "simple" : "advanced");
  if (form === "advanced") return toAdvanced(preset);
  if (form !== "simple") {
    throw new GalleyError("BadUsage", `--to ${form} is not a form of a preset.`, {
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

interface GetFlags extends PrintFlags, OutFlags {
  readonly version?: number;
}

function addListCommands(preset: Command, terminal: Terminal): void {
  const list = addPrintFlags(preset.command("list").description("Lists the presets of the library."));
  list.action(async (flags: PrintFlags) => {
    const presets = await withPresets(flags, (library) => library.list());
    printResult(terminal, flags, { presets }, () => presetsText(presets, terminal));
  });
  addPrintFlags(
    preset
      .command("versions")
      .argument("<id>", "the name of the preset")
      .description("Lists the saved versions of a preset, newest first; those of a deleted one too."),
  ).action(async (id: string, flags: PrintFlags) => {
    const versions = await withPresets(flags, (library) => library.versions(id));
    printResult(terminal, flags, { versions }, () => versionsText(id, versions, terminal));
  });
}

function addGetCommand(preset: Command, terminal: Terminal): void {
  const command = preset
    .command("get")
    .argument("<id>", "the name of the preset")
    .description("Prints a preset of the library as JSON, or writes it to a file.")
    .option("--version <number>", "an earlier version (default: the newest)", wholeNumberFrom(1));
  addPrintFlags(
    addOutFlags(command),
    "with --out, say what was written as one JSON document; the preset is JSON in any case",
  )
    .addHelpText("after", "\nExample:\n  $ galley preset get mara --version 2 --out mara-2.json")
    .action(async (id: string, flags: GetFlags) => {
      const { version: wanted, out: file, force } = flags;
      const saved = await withPresets(flags, (library) =>
        wanted === undefined ? library.get(id) : library.version(id, wanted),
      );
      const text = toJson(saved.preset);
      if (file === undefined || file === "-") return terminal.out(text);
      await writeFiles([{ file, text }], { isForced: force === true });
      const { version } = saved;
      printResult(terminal, flags, { id, version, file }, `Wrote ${versionText(saved)} to ${file}.\n`);
    });
}

function addSaveCommand(preset: Command, terminal: Terminal): void {
  const command = preset
    .command("save")
    .argument("<id>", "the name that it gets in the library")
    .argument("<file>", "preset (JSON), e.g. what galley import wrote; - reads standard input")
    .description("Checks a preset and puts it into the library, where Studio and galley run find it by its name.")
    .option("--force", "save it as the next version of a preset that already exists");
  addPrintFlags(command)
    .addHelpText("after", saveExamples)
    .action(async (id: string, file: string, flags: PrintFlags & OutFlags) => {
      // Here, for its warnings, and so that a file that is not even JSON never gets on its way.
      const { preset: given, warnings } = parsePreset(await readText(file, terminal));
      const { version, updatedAt } = await withPresets(flags, async (library) => {
        const present = await findPreset(library, id);
        if (present && present.version > 0 && !flags.force) throw takenError(present);
        const expectedVersion = present?.version ?? 0;
        return library.save(id, { preset: given, expectedVersion, label: "galley preset save" });
      });
      if (!flags.json) reportWarnings(warnings, terminal);
      const result = { id, version, updatedAt, problems: warnings };
      printResult(terminal, flags, result, `Saved ${versionText({ id, version })}.\n`);
    });
}

const saveExamples = `
Examples:
  $ galley import card.png --out mara.json
  $ galley preset save mara mara.json
  $ galley run "Hello" --chat mara --preset mara
  $ galley preset get mara --version 1 | galley preset save mara - --force    back to what it was`;

function addDeleteCommand(preset: Command, terminal: Terminal): void {
  const command = preset
    .command("delete")
    .argument("<id>", "the name of the preset")
    .description("Deletes a preset; its versions stay until the name is used again.")
    .option("--confirm <id>", "the name of the preset once more");
  addPrintFlags(command).action(async (id: string, flags: PrintFlags & { readonly confirm?: string }) => {
    requireConfirmation(flags.confirm, id, `the preset ${id}`);
    await withPresets(flags, (library) => library.delete(id));
    const text = `Deleted ${id}. Its versions stay until the name is used again.\n`;
    printResult(terminal, flags, { deleted: id }, text);
  });
}

async function findPreset(library: PresetLibrary, id: string): Promise<SavedPreset | undefined> {
  try {
    return await library.get(id);
  } catch (error) {
    if (error instanceof GalleyError && error.code === "NotFound") return undefined;
    throw error;
  }
}

function takenError({ id, version, updatedAt }: SavedPreset): GalleyError {
  const message = `The library already has a preset ${JSON.stringify(id)}: version ${version}, saved ${timeText(updatedAt)}.`;
  return new GalleyError("PresetConflict", message, {
    hint: `Name another one, or write --force to save this as version ${version + 1}; the earlier versions stay.`,
  });
}

function versionText({ id, version }: Pick<SavedPreset, "id" | "version">): string {
  return version === 0 ? `the built-in ${id}` : `version ${version} of ${id}`;
}

function presetsText(presets: readonly PresetItem[], terminal: Terminal): string {
  return listText(presets, terminal, undefined, {
    preset: "id",
    version: "version",
    saved: ({ version, updatedAt }) => (version === 0 ? "built in" : timeText(updatedAt)),
    form: "mode",
    messages: "templates",
    recipes: "recipes",
    name: elastic("name", "dim"),
  });
}

function versionsText(id: string, versions: readonly PresetVersion[], terminal: Terminal): string {
  return listText(versions, terminal, `${id} is built in; it was not saved yet.`, {
    version: "version",
    saved: ({ savedAt }) => timeText(savedAt),
    "what was done": elastic("label"),
  });
}
