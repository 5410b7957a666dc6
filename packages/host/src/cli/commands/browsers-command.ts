import { GalleyError } from "@galley/engine";
import type { Command } from "commander";
import type { RouteReply } from "../../api/index.ts";
import { browserFile } from "../../daemon/http/browser-file.ts";
import { BrowserSessions, signOutOne } from "../../daemon/http/browser-sessions.ts";
import { ownDataFolder } from "../../daemon/client/data-owner.ts";
import { connect } from "../input/connect.ts";
import { existingDataFolder } from "../input/files.ts";
import { addPrintFlags, type PrintFlags } from "../input/options.ts";
import { printResult } from "../terminal/report.ts";
import { renderTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface SignOutFlags extends PrintFlags {
  readonly all?: boolean;
}

type Listed = Pick<RouteReply<"browsers.list">, "problem"> & {
  readonly browsers: readonly Omit<RouteReply<"browsers.list">["browsers"][number], "isCurrent">[];
};

/** The browsers of a data folder, through its daemon or without one. */
interface Browsers {
  list(): Promise<Listed>;
  signOut(id: string): Promise<unknown>;
  signOutAll(): Promise<{ readonly signedOut: number }>;
}

/** `galley browsers`: which browsers are signed in to Studio. */
export function defineBrowsers(browsers: Command, terminal: Terminal): void {
  addPrintFlags(browsers.command("list"))
    .description("Lists the browsers that came by a link of `galley up` or `galley open`, the newest first.")
    .action(async (flags: PrintFlags) => {
      const listed = await withBrowsers(flags, (found) => found.list());
      printResult(terminal, flags, listed, () => `${listText(listed, terminal)}\n`);
    });
  addPrintFlags(browsers.command("sign-out"))
    .argument("[ids...]", "which ones, by their ids")
    .description("Signs browsers out at once. To come back, they need a new link from `galley open`.")
    .option("--all", "all of them")
    .action(async (ids: readonly string[], flags: SignOutFlags) => {
      const signedOut = await withBrowsers(flags, (found) => signOut(found, ids, flags));
      printResult(terminal, flags, { signedOut }, () => `Signed out: ${signedOut}\n`);
    });
}

async function signOut(browsers: Browsers, ids: readonly string[], { all }: SignOutFlags): Promise<number> {
  if ((ids.length === 0) === (all !== true)) {
    throw new GalleyError("BadUsage", "Name the browsers, or all of them with --all.", {
      hint: "`galley browsers list` shows their ids.",
    });
  }
  if (all) return (await browsers.signOutAll()).signedOut;
  for (const id of new Set(ids)) await browsers.signOut(id);
  return new Set(ids).size;
}

/** A running daemon must hear of it; where there is none, none may start before it is written. */
async function withBrowsers<Result>(flags: PrintFlags, work: (browsers: Browsers) => Promise<Result>): Promise<Result> {
  const daemon = await connect(flags);
  if (daemon) {
    return work({
      list: () => daemon.call("browsers.list", {}),
      signOut: (id) => daemon.call("browsers.signOut", { params: { id } }),
      signOutAll: () => daemon.call("browsers.signOutOthers", {}),
    });
  }
  const folder = existingDataFolder(flags.data);
  const owner = await ownDataFolder(folder);
  const kept = new BrowserSessions({ file: browserFile(folder) });
  try {
    const { problem } = kept;
    return await work({
      list: async () => ({ browsers: kept.list(), problem }),
      signOut: (id) => signOutOne(kept, id),
      signOutAll: async () => ({ signedOut: await kept.signOut(() => true) }),
    });
  } finally {
    await kept.close();
    await owner.release();
  }
}

function listText({ browsers, problem }: Listed, terminal: Terminal): string {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const note = problem === undefined ? "" : `\nA restart of the daemon signs them out. ${problem}`;
  if (browsers.length === 0) return `No browser is signed in. \`galley open\` prints a link for one.${note}`;
  const titles = ["id", "browser", "system", "signed in (UTC)", "last seen (UTC)", "until (UTC)"];
  const rows = browsers.map(({ id, name, system = "", ...times }) => {
    return [id, name, system, day(times.signedInAt), day(times.seenAt), day(times.endsAt)];
  });
  return `${renderTable(titles, rows, terminal)}${note}`;
}
