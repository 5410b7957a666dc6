import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { GalleyError } from "@galley/engine";
import { type Command, InvalidArgumentError } from "commander";
import { makeDemoWorkspace } from "../../galley/demo-workspace.ts";
import { folderProblems } from "../../disk/folder-rights.ts";
import type { Daemon, DaemonOptions } from "../../daemon/open-daemon.ts";
import { errorCode } from "../../disk/storage-error.ts";
import type { DaemonNote } from "../../daemon/client/data-owner.ts";
import { bearer, daemonOf, findDaemon, isAlive } from "../../daemon/client/running-daemon.ts";
import { addDataFlags, type DataFlags, type FolderFlags, tokenOption } from "../input/options.ts";
import { postgresUrl } from "../input/handover-flags.ts";
import { cleanLines } from "../terminal/clean-text.ts";
import { printResult, reportWarnings } from "../terminal/report.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";
import { untilSignal } from "../terminal/until-signal.ts";
import { exists } from "../../disk/data-files.ts";
import { pathIn } from "../../disk/data-paths.ts";
import { keepHeapSmall } from "../../limits/small-heap.ts";

interface UpFlags extends DataFlags {
  readonly port?: number;
  readonly postgres?: string;
  readonly config?: string;
  readonly open?: boolean;
  readonly empty?: boolean;
}

type DaemonFlags = FolderFlags & Pick<UpFlags, "json" | "open">;

/** Where a daemon is looked for unless somebody says otherwise. */
const usualPort = 4417;
/** Inside of the package when it was published, beside it in a checkout. */
const studioFolders = ["../../../studio", "../../../../studio/dist"];

const upHelp = `
Example:
  $ galley up
  $ galley up --port 4500 --data ./my-data --config ./my-project`;

export function defineUp(command: Command, terminal: Terminal): void {
  addDataFlags(command)
    .description("Opens the data folder, serves Studio and the API on this machine, and stays until it is stopped.")
    .option(
      "-p, --port <number>",
      `the port (default: where browsers are signed in, ${usualPort}, or a free one)`,
      portNumber,
    )
    .option("--postgres <url>", "a PostgreSQL database for sessions, runs and tasks; chats stay in the data folder")
    .option("--config <folder>", "the folder of galley.config (default: looked for from here upwards)")
    .option("--empty", "put no demo (a preset, a chat, two profiles) into a new data folder")
    .option("--open", "open Studio in the browser")
    .option("--no-open", "print the link only (default)")
    .addHelpText("after", upHelp)
    .action((flags: UpFlags) => up(flags, terminal));
}

export function defineOpen(command: Command, terminal: Terminal): void {
  addDataFlags(command)
    .addOption(tokenOption())
    .description("Prints a link to the running daemon that lets one browser in, once, for ten minutes.")
    .option("--open", "open it in the browser as well")
    .action(async (flags: DaemonFlags) => {
      const daemon = await daemonOf(resolve(flags.data), flags.token);
      const response = await fetch(`${daemon.url}/control/link`, { method: "POST", headers: bearer(daemon) });
      const { link } = (await response.json()) as { readonly link: string };
      printResult(terminal, flags, { url: daemon.url, link }, () => `${link}\n`);
      if (flags.open) openBrowser(link);
    });
}

export function defineDown(command: Command, terminal: Terminal): void {
  addDataFlags(command)
    .addOption(tokenOption())
    .description("Lets runs finish for a while, hands back those that do not, stops the agents and the daemon.")
    .action(async (flags: DaemonFlags) => {
      const data = resolve(flags.data);
      const daemon = await daemonOf(data, flags.token);
      await fetch(`${daemon.url}/control/stop`, { method: "POST", headers: bearer(daemon) });
      await untilGone(data, daemon);
      printResult(terminal, flags, { stopped: daemon.pid }, () => `Stopped (process ${daemon.pid}).\n`);
    });
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 (any free one) to 65535.");
}

/** As the settings of the system say; Studio makes the demo in its reader's language where that is another one. */
function terminalLanguage(): "en" | "zh" {
  const { LC_ALL, LC_MESSAGES, LANG } = process.env;
  return (LC_ALL || LC_MESSAGES || LANG || "").toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** A daemon that cannot write its demo workspace must not stay behind the error. */
async function demoWorkspaceOf(daemon: Daemon): Promise<void> {
  try {
    await makeDemoWorkspace(daemon.galley, terminalLanguage());
  } catch (cause) {
    await daemon.close();
    throw cause;
  }
}

async function up(flags: UpFlags, terminal: Terminal): Promise<void> {
  keepHeapSmall();
  const { signalled, forget } = untilSignal();
  try {
    // A start that failed, on a port that is taken, has left an empty folder behind.
    const isNew = !["chat", "presets"].some((name) => exists(pathIn(resolve(flags.data), name)));
    const daemon = await start(flags, terminal);
    if (isNew && !flags.empty) await demoWorkspaceOf(daemon);
    const link = daemon.link();
    const { url, data } = daemon;
    if (flags.json) terminal.out(`${JSON.stringify({ url, link, data, pid: process.pid })}\n`);
    else {
      terminal.out(welcome(daemon, link, terminal));
      reportWarnings(folderProblems(data), terminal);
    }
    const { port } = new URL(url);
    if (flags.port === undefined && port !== String(usualPort) && !flags.json) {
      terminal.err(
        `Galley is at port ${port}, not at ${usualPort}: that one is taken, or browsers are signed in here.\n`,
      );
    }
    if (flags.open) openBrowser(link);
    const [problem] = await Promise.race([signalled.then(() => []), daemon.stopRequested.then((why) => [why])]);
    // From here on one more signal ends the process at once.
    forget();
    if (!flags.json) terminal.err("Stopping …\n");
    if (problem === undefined) await daemon.close();
    else {
      // What could not be closed is of no use to the reader; that the folder is gone is.
      await daemon.close().catch(() => undefined);
      throw problem;
    }
  } finally {
    forget();
  }
}

/** A port that was asked for is used or none; otherwise the daemon finds one. */
async function start(flags: UpFlags, terminal: Terminal): Promise<Daemon> {
  // Loaded when it is wanted: other commands should not wait for it.
  const { openDaemon } = await import("../../daemon/open-daemon.ts");
  const { port } = flags;
  try {
    const tell = (line: string): void => terminal.err(`${cleanLines(line)}\n`);
    return await openDaemon({ ...daemonOptions(flags), tell, ...(port === undefined ? { usualPort } : { port }) });
  } catch (error) {
    if (port === undefined || errorCode(error) !== "EADDRINUSE") throw error;
    throw new GalleyError("BadUsage", `The port ${port} is taken.`, {
      hint: "Name another one, or none: then a free one is found.",
      cause: error,
    });
  }
}

function daemonOptions({ postgres, config, ...flags }: UpFlags): DaemonOptions {
  const { GALLEY_POSTGRES } = process.env;
  const url = postgres ?? GALLEY_POSTGRES;
  const studio = studioFolders
    .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
    .find((folder) => exists(folder));
  return {
    galley: {
      data: resolve(flags.data),
      ...(url === undefined ? {} : { postgres: postgresUrl(url) }),
      config,
    },
    studio: studio ?? fileURLToPath(new URL(studioFolders[1] ?? "", import.meta.url)),
  };
}

function welcome({ url, data, galley }: Daemon, link: string, terminal: Terminal): string {
  const style = styleFor(terminal);
  const model = galley.models.defaultId;
  const demo = model === "demo" ? " (the built-in demo model; `galley models` says how to use a real one)" : "";
  return `${style.bold("Galley")} works on ${data}, model ${model}${demo}.

  ${style.cyan(link)}
  ${style.dim("The link lets one browser in, within ten minutes; `galley open` prints another one.")}

Three things to try:
  1. Compose: give a step of a preset another depth, and see at once what the model would read.
  2. Chats: say "new topic: lunch", later "back to" what it was before, or "delegate to writer: …".
  3. Import: drop a SillyTavern card; or read ${url}/docs, the API.

Stop it with Ctrl+C or \`galley down\`.
`;
}

/** The system knows which browser; when it has none, the link is on the screen all the same. */
function openBrowser(link: string): void {
  const [command, ...args] =
    process.platform === "darwin"
      ? ["open", link]
      : process.platform === "win32"
        ? ["cmd", "/c", "start", "", link.replaceAll("&", "^&")]
        : ["xdg-open", link];
  if (command === undefined) return;
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

const downLimitMs = 30_000;

async function untilGone(folder: string, { pid, token }: DaemonNote): Promise<void> {
  const end = performance.now() + downLimitMs;
  while (performance.now() < end) {
    const left = await findDaemon(folder, token);
    if (left?.pid !== pid && !isAlive(pid)) return;
    await sleep(50);
  }
  throw new GalleyError("DataFolderInUse", `Process ${pid} does not end.`, { hint: `End it yourself: kill ${pid}` });
}
