import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import { settingKeys } from "../../../config/settings-in-force.ts";
import type { ConfiguredFolder } from "../../input/connect.ts";
import { type PlaceTarget, withSettings } from "../../input/connect-settings.ts";
import { collected } from "../../input/options.ts";
import { readAssignments } from "../../input/settings-flags.ts";
import { settingsText } from "../../print/settings-text.ts";
import { printResult, reportWarnings } from "../../terminal/report.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface SetFlags extends ConfiguredFolder {
  readonly unset?: readonly string[];
  readonly json?: boolean;
}

const keysText = `\nSettings: ${settingKeys.join(", ")}.\nWhat each of them does is in docs/recipes/settings.md.`;

/** `set`: context settings of a place, by key=value [T3]. */
export function addSetCommand(parent: Command, terminal: Terminal, target: PlaceTarget): void {
  const { what, argumentCount, named, placeOf } = target;
  const command = named(parent.command("set"));
  const own =
    what === "chat" ? " title=TEXT names the chat, model=ID and preset=ID set what it uses; null takes one away." : "";
  command
    .argument("[assignments...]", "key=value: JSON where it is JSON, else text; key=null is the built-in default")
    .description(
      `Sets context settings of a ${what}: they hold for its later turns unless a turn says otherwise.${own}`,
    )
    .option("--unset <key>", `the ${what} does not set this key any more; may be given again`, collected)
    .option("--config <folder>", "the folder of galley.config (default: looked for from here upwards)")
    .addHelpText("after", keysText)
    .action(async () => {
      const pairs = command.args.slice(argumentCount);
      const flags = command.opts<SetFlags>();
      const { unset = [] } = flags;
      if (pairs.length === 0 && unset.length === 0) {
        throw new GalleyError("BadUsage", "Nothing is set.", { hint: "Write key=value, or --unset key." });
      }
      const assigned = readAssignments(pairs, { isChat: what === "chat" });
      const changes = { ...assigned, ...(unset.length === 0 ? {} : { unset }) };
      const result = await withSettings(flags, placeOf(command), async (settings) => {
        await settings.change(changes);
        return settings.inForce();
      });
      if (!flags.json) reportWarnings(result.problems, terminal);
      const changed = new Set([...Object.keys(assigned.context), ...unset]);
      const shown = result.settings.filter(({ key }) => changed.has(key));
      printResult(terminal, flags, result, `${settingsText(shown.length > 0 ? shown : result.settings, terminal)}\n`);
    });
}

/** `get`: the settings that the next turn of a place would have, and where each came from [T3]. */
export function addGetCommand(parent: Command, terminal: Terminal, target: PlaceTarget): void {
  const { what, argumentCount, named, placeOf } = target;
  const command = named(parent.command("get"));
  command
    .argument("[key]", "only this one, as JSON where it is not text")
    .description(`Shows the context settings that the next turn of a ${what} would have, and where each came from.`)
    .option("--config <folder>", "the folder of galley.config (default: looked for from here upwards)")
    .addHelpText("after", keysText)
    .action(async () => {
      const key = command.args[argumentCount];
      const flags = command.opts<SetFlags>();
      const result = await withSettings(flags, placeOf(command), (settings) => settings.inForce());
      if (!flags.json) reportWarnings(result.problems, terminal);
      if (key === undefined) {
        const { model, preset, budget } = result;
        const room = budget === 0 ? "nothing" : `${budget.toLocaleString("en-US")} tokens`;
        const head = `model ${model}, preset ${preset ?? "–"}, ${room} may be sent\n\n`;
        printResult(terminal, flags, result, () => `${head}${settingsText(result.settings, terminal)}\n`);
        return;
      }
      const found = result.settings.find((setting) => setting.key === key);
      if (!found) {
        const hint = `There are ${settingKeys.join(", ")}.`;
        throw new GalleyError("BadUsage", `There is no context setting ${JSON.stringify(key)}.`, { path: key, hint });
      }
      const { value } = found;
      printResult(terminal, flags, found, `${typeof value === "string" ? value : (JSON.stringify(value) ?? "")}\n`);
    });
}
