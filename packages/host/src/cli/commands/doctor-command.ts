import type { Problem } from "@galley/engine";
import type { Command } from "commander";
import { type ChatHealth, doctor } from "../../chat/doctor/doctor.ts";
import { folderProblems, unsafeProblems } from "../../disk/folder-rights.ts";
import { storeFile, storeCopies } from "../../disk/store-files.ts";
import { removalText } from "../print/chat-text.ts";
import { cleanLines } from "../terminal/clean-text.ts";
import { postgresUrl } from "../input/handover-flags.ts";
import { type DataFlags, dataOption } from "../input/options.ts";
import { printResult, problemText, reportWarnings } from "../terminal/report.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";
import { exists } from "../../disk/data-files.ts";

interface DoctorFlags extends DataFlags {
  readonly postgres?: string;
  readonly chat?: string;
  readonly fix?: boolean;
  readonly purge?: boolean;
}

export function defineDoctor(command: Command, terminal: Terminal, fail: () => void): void {
  command
    .description(
      "Checks every chat of a data folder (each line, archive, file and lock), and its store of cards, boxes and tasks. Exits with 1 when something is damaged.",
    )
    .addOption(dataOption())
    .option("--postgres <url>", "check the store in this PostgreSQL database instead of the folder's own")
    .option("-c, --chat <key>", "only this chat, and no store")
    .option("--fix", "move what is damaged in chats to quarantine; nothing else is touched, a store never")
    .option(
      "--purge",
      "remove the bytes of redacted messages, what was set aside, and copies of the store from before a migration, for good",
    )
    .option("--json", "print one JSON document")
    .action(async (flags: DoctorFlags) => {
      const { data, postgres, chat: chatKey, fix, purge = false } = flags;
      const isStored = postgres !== undefined || exists(storeFile(data));
      const store = chatKey === undefined && isStored ? await storeProblems(data, postgres) : undefined;
      // Behind the check of the store, which may migrate it and keep a copy.
      const copies = chatKey === undefined || purge ? storeCopies(data) : [];
      const chats = await doctor(data, { chatKey, fix, purge });
      const unsafe = chatKey === undefined ? unsafeProblems(data) : [];
      const left = [...chats.flatMap((chat) => chat.left), ...(store ?? []), ...unsafe];
      if (left.some(({ severity }) => severity === "error")) fail();
      reportWarnings(folderProblems(data), terminal);
      const found = {
        chats,
        store,
        ...(unsafe.length > 0 ? { unsafe } : {}),
        ...(copies.length > 0 ? { copies: copies.map((file) => ({ file, removed: purge })) } : {}),
      };
      const texts = (): readonly string[] => [
        doctorText(chats, flags, terminal),
        storeText(store, terminal),
        ...unsafe.map((one) => problemText(one, terminal)),
        purge ? removalText(copies) : copiesText(copies),
      ];
      printResult(terminal, flags, found, () => texts().join(""));
    });
}

async function storeProblems(data: string, postgres: string | undefined): Promise<readonly Problem[]> {
  const { checkStore } = await import("../../store/check-store.ts");
  return checkStore({ data, ...(postgres === undefined ? {} : { postgres: postgresUrl(postgres) }) });
}

function copiesText(copies: readonly string[]): string {
  return copies.map((file) => `${file} is the store as it was before its migration; --purge removes it\n`).join("");
}

function storeText(problems: readonly Problem[] | undefined, terminal: Terminal): string {
  if (!problems) return "";
  const style = styleFor(terminal);
  const note = problems.length === 0 ? style.green("sound") : `${problems.length} found`;
  return `${style.bold("store")}: ${note}\n${problems.map((one) => problemText(one, terminal)).join("")}`;
}

function doctorText(chats: readonly ChatHealth[], { data, purge = false }: DoctorFlags, terminal: Terminal): string {
  const style = styleFor(terminal);
  // A name that was mistyped must not read like a clean bill of health.
  if (!exists(data)) return `There is no data folder ${data} yet; nothing was checked.\n`;
  if (chats.length === 0) return `There are no chats in ${data}.\n`;
  return chats
    .map(({ chatKey, findings, left, purged, quarantine }) => {
      const repaired = findings.filter(
        ({ kind, path }) => !left.some((one) => one.kind === kind && one.path === path),
      ).length;
      const notes = [
        findings.length === 0 ? style.green("sound") : `${findings.length} found`,
        ...(repaired > 0 ? [style.green(`${repaired} repaired`)] : []),
        ...(quarantine === undefined ? [] : [`moved to ${quarantine}`]),
        ...(purge
          ? [left.some(({ code }) => code === "UnsafePath") ? style.red("not purged") : `${purged} messages purged`]
          : []),
      ];
      return `${style.bold(cleanLines(chatKey))}: ${notes.join(", ")}\n${left.map((one) => problemText(one, terminal)).join("")}`;
    })
    .join("");
}
