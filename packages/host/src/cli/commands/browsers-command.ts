import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import type { RouteReply } from "../../api/index.ts";
import { type BrowserRoute, browserHandlers } from "../../daemon/handlers/browser-handlers.ts";
import { browserFile } from "../../daemon/http/browser-file.ts";
import { BrowserSessions } from "../../daemon/http/browser-sessions.ts";
import { ownDataFolder } from "../../daemon/client/data-owner.ts";
import { type Ask, withHandlers } from "../input/connect.ts";
import { existingDataFolder } from "../input/files.ts";
import { addPrintFlags, type PrintFlags } from "../input/options.ts";
import { printResult } from "../terminal/report.ts";
import { renderTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface SignOutFlags extends PrintFlags {
  readonly all?: boolean;
}

export function defineBrowsers(browsers: Command, terminal: Terminal): void {
  addPrintFlags(browsers.command("list"))
    .description("Lists the browsers that came by a link of `galley up` or `galley open`, the newest first.")
    .action(async (flags: PrintFlags) => {
      const listed = await withBrowsers(flags, (ask) => ask("browsers.list", {}));
      printResult(terminal, flags, listed, () => `${listText(listed, terminal)}\n`);
    });
  addPrintFlags(browsers.command("sign-out"))
    .argument("[ids...]", "which ones, by their ids")
    .description("Signs browsers out at once. To come back, they need a new link from `galley open`.")
    .option("--all", "all of them")
    .action(async (ids: readonly string[], flags: SignOutFlags) => {
      const signedOut = await withBrowsers(flags, (ask) => signOut(ask, new Set(ids), flags));
      printResult(terminal, flags, { signedOut }, () => `Signed out: ${signedOut}\n`);
    });
}

async function signOut(ask: Ask<BrowserRoute>, ids: ReadonlySet<string>, { all }: SignOutFlags): Promise<number> {
  if ((ids.size === 0) === (all !== true)) {
    throw new GalleyError("BadUsage", "Name the browsers, or all of them with --all.", {
      hint: "`galley browsers list` shows their ids.",
    });
  }
  // None of them asks now.
  if (all) return (await ask("browsers.signOutOthers", {})).signedOut;
  for (const id of ids) await ask("browsers.signOut", { params: { id } });
  return ids.size;
}

/** A running daemon must hear of it; where there is none, none may start before it is written. */
function withBrowsers<Result>(flags: PrintFlags, work: (ask: Ask<BrowserRoute>) => Promise<Result>): Promise<Result> {
  return withHandlers(flags, work, async (use) => {
    const folder = existingDataFolder(flags.data);
    const owner = await ownDataFolder(folder);
    const kept = new BrowserSessions({ file: browserFile(folder) });
    try {
      return await use(browserHandlers(kept));
    } finally {
      await kept.close();
      await owner.release();
    }
  });
}

function listText({ browsers, problem }: RouteReply<"browsers.list">, terminal: Terminal): string {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const note = problem === undefined ? "" : `\nA restart of the daemon signs them out. ${problem}`;
  if (browsers.length === 0) return `No browser is signed in. \`galley open\` prints a link for one.${note}`;
  return `${renderTable(browsers, terminal, {
    id: "id",
    browser: "name",
    system: "system",
    "signed in (UTC)": ({ signedInAt }) => day(signedInAt),
    "last seen (UTC)": ({ seenAt }) => day(seenAt),
    "until (UTC)": ({ endsAt }) => day(endsAt),
  })}${note}`;
}
