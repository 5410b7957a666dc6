import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import { openHandover } from "../../../handover/options/handover-options.ts";
import { listProfiles } from "../../../handover/pack/profiles.ts";
import { removeProfile, saveProfile } from "../../../handover/pack/profiles.ts";
import { readText } from "../../input/files.ts";
import { type ConfigFlags, addConfigFlags, withConfig } from "../../input/handover-flags.ts";
import { printResult } from "../../terminal/report.ts";
import { listText } from "../../terminal/table.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface AddFlags extends ConfigFlags {
  readonly text?: string;
  readonly file?: string;
  readonly model?: string;
  readonly preset?: string;
}

export function defineProfile(profile: Command, terminal: Terminal): void {
  addConfigFlags(
    profile
      .command("add")
      .argument("<name>", "what the profile is called")
      .description(
        "Saves a system text under a name. A name that is taken gets the new text; running tasks keep the old one.",
      )
      .option("-t, --text <text>", "the system text")
      .option("-f, --file <file>", "a file with the system text; - reads standard input")
      .option("-m, --model <model>", "the model of its tasks (default: that of their caller)")
      .option("--preset <id>", "the preset of its tasks, by its id in the library"),
  )
    .addHelpText("after", '\nExample:\n  $ galley profile add writer --text "You write short, plain sentences."')
    .action(async (name: string, flags: AddFlags) => {
      const text = await profileText(flags, terminal);
      const { model, preset } = flags;
      const boxId = await withConfig(flags, ({ options, projectId }) =>
        saveProfile(openHandover(options), { projectId, name, text, model, preset }),
      );
      printResult(terminal, flags, { name, boxId }, () => `profile ${name} is box ${boxId}\n`);
    });
  addConfigFlags(
    profile
      .command("remove")
      .argument("<name>", "the profile")
      .description("Takes a profile away. Tasks that were given to it keep its text."),
  ).action(async (name: string, flags: ConfigFlags) => {
    await withConfig(flags, ({ options, projectId }) => removeProfile(openHandover(options), projectId, name));
    printResult(terminal, flags, { removed: name }, () => `removed ${name}\n`);
  });
  addConfigFlags(profile.command("list").description("Lists the profiles of the project.")).action(
    async (flags: ConfigFlags) => {
      const profiles = await withConfig(flags, ({ options, projectId }) =>
        listProfiles(openHandover(options), projectId),
      );
      const whenEmpty = "There is no profile yet: galley profile add NAME --text TEXT";
      printResult(terminal, flags, { profiles }, () =>
        listText(profiles, terminal, whenEmpty, {
          profile: "name",
          model: "model",
          preset: "preset",
          from: ({ isDeclared }) => (isDeclared ? "galley.config" : ""),
          box: "boxId",
        }),
      );
    },
  );
}

async function profileText({ text, file }: AddFlags, terminal: Terminal): Promise<string> {
  if ((text === undefined) === (file === undefined)) {
    throw new GalleyError("BadUsage", "A profile needs --text or --file, and not both.", {
      hint: 'galley profile add writer --text "You write short, plain sentences."',
    });
  }
  const given = text ?? (await readText(file ?? "-", terminal));
  if (given.trim() !== "") return given;
  throw new GalleyError("BadUsage", "The profile's text is empty.", { hint: "Say who the agent is." });
}
