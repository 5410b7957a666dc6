import type { Command } from "commander";
import { type ChatHealth, doctor } from "../chat/doctor.ts";
import { toJson } from "./build-command.ts";
import { problemText } from "./report.ts";
import { cleanLines } from "./table.ts";
import { type Terminal, styleFor } from "./terminal.ts";

interface DoctorFlags {
  readonly data: string;
  readonly chat?: string;
  readonly fix?: boolean;
  readonly purge?: boolean;
  readonly json?: boolean;
}

/** `galley doctor`: looks a data folder over, and mends it when asked to. */
export function addDoctorCommand(program: Command, terminal: Terminal, fail: () => void): void {
  program
    .command("doctor")
    .summary("check a data folder; --fix quarantines what is damaged")
    .description(
      "Checks every chat of a data folder: each line, archive, file and lock. Exits with 1 when something is damaged.",
    )
    .option("--data <folder>", "the data folder", ".ship")
    .option("-c, --chat <key>", "only this chat")
    .option("--fix", "move what is damaged to quarantine; nothing else is touched")
    .option("--purge", "remove the bytes of redacted messages, and what was set aside, for good")
    .option("--json", "print one JSON document")
    .action(async (flags: DoctorFlags) => {
      const { data, chat: chatKey, fix, purge, json } = flags;
      const chats = await doctor(data, { chatKey, fix, purge });
      if (chats.some(({ left }) => left.some(({ severity }) => severity === "error"))) fail();
      terminal.out(json ? toJson({ chats }) : doctorText(chats, flags, terminal));
    });
}

function doctorText(chats: readonly ChatHealth[], { data, purge = false }: DoctorFlags, terminal: Terminal): string {
  const style = styleFor(terminal);
  if (chats.length === 0) return `There are no chats in ${data}.\n`;
  return chats
    .map(({ chatKey, findings, left, purged, quarantine }) => {
      const mended = findings.filter(
        ({ kind, path }) => !left.some((one) => one.kind === kind && one.path === path),
      ).length;
      const notes = [
        findings.length === 0 ? style.green("sound") : `${findings.length} found`,
        ...(mended > 0 ? [style.green(`${mended} mended`)] : []),
        ...(quarantine === undefined ? [] : [`moved to ${quarantine}`]),
        ...(purge ? [`${purged} messages purged`] : []),
      ];
      return `${style.bold(cleanLines(chatKey))}: ${notes.join(", ")}\n${left.map((one) => problemText(one, terminal)).join("")}`;
    })
    .join("");
}
