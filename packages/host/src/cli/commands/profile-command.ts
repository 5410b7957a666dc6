import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import { openHandover } from "../../handover/options/handover-options.ts";
import { saveProfile } from "../../handover/plan/save-profile.ts";
import { readText } from "../input/files.ts";
import { type StoreFlags, addStoreFlags, withHandover } from "../input/handover-flags.ts";
import { printResult } from "../terminal/report.ts";
import { renderTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface AddFlags extends StoreFlags {
  readonly text?: string;
  readonly file?: string;
}

/** `galley profile`: who an agent is, under a name. */
export function defineProfile(profile: Command, terminal: Terminal): void {
  addStoreFlags(
    profile
      .command("add")
      .argument("<name>", "what the profile is called")
      .description(
        "Saves a system text under a name. A name that is taken gets the new text; running tasks keep the old one.",
      )
      .option("-t, --text <text>", "the system text")
      .option("-f, --file <file>", "a file with the system text; - reads standard input"),
  )
    .addHelpText("after", '\nExample:\n  $ galley profile add writer --text "You write short, plain sentences."')
    .action(async (name: string, flags: AddFlags) => {
      const text = await profileText(flags, terminal);
      const boxId = await withHandover(flags, async (session) => {
        const { projectId } = session;
        return saveProfile(openHandover(session.options), { projectId, name, text });
      });
      printResult(terminal, flags, { name, boxId }, () => `profile ${name} is box ${boxId}\n`);
    });
  addStoreFlags(profile.command("list").description("Lists the profiles of the project.")).action(
    async (flags: StoreFlags) => {
      const profiles = await withHandover(flags, ({ store, projectId }) => store.cards.listProfiles(projectId));
      printResult(terminal, flags, { profiles }, () => {
        if (profiles.length === 0) return "There is no profile yet: galley profile add NAME --text TEXT\n";
        const rows = profiles.map(({ name, boxId }) => [name, boxId]);
        return `${renderTable(["profile", "box"], rows, terminal)}\n`;
      });
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
