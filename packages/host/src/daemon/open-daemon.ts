import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Galley, OpenGalleyOptions } from "../galley/galley.ts";
import { openGalley } from "../galley/open-galley.ts";
import { folderProblems } from "../disk/folder-rights.ts";
import { detectClockJump } from "../store/database/detect-clock-jump.ts";
import { daemonAgents } from "./agents/daemon-agents.ts";
import { type DaemonKey, type DaemonProofs, makeDaemonKey } from "./client/daemon-key.ts";
import { ownDataFolder } from "./client/data-owner.ts";
import { daemonApp } from "./daemon-app.ts";
import { type DaemonEvents, daemonEvents } from "./events/event-log.ts";
import type { HandlerContext } from "./handlers/handler-context.ts";
import { openTurns } from "./handlers/open-turns.ts";
import { type Access, access } from "./http/access.ts";
import { browserFile } from "./http/browser-file.ts";
import { BrowserSessions } from "./http/browser-sessions.ts";
import { confirmations } from "./http/confirmations.ts";
import { type DaemonLog, daemonLog } from "./http/daemon-log.ts";
import { type LocalServer, firstFreeServer, localServer } from "./http/local-server.ts";
import type { ToolRoutes } from "./rpc/tool-routes.ts";

/** Which data folder is served, and where. */
export interface DaemonOptions {
  readonly galley: OpenGalleyOptions;
  /** If absent: the one at which its browsers are signed in, `usualPort`, or any, whichever is free first. */
  readonly port?: number;
  /** Taken when it is free. */
  readonly usualPort?: number;
  /** The folder of Studio's build. */
  readonly studio?: string;
  /** Tells the person at the terminal something that no page may know: a code that confirms what a page asks for. */
  readonly tell?: (line: string) => void;
}

/** A daemon at work. */
export interface Daemon {
  /** `http://127.0.0.1:4417` */
  readonly url: string;
  readonly data: string;
  readonly galley: Galley;
  /** A link that lets one browser in, once, for ten minutes. */
  link(): string;
  /**
   * Resolves when the daemon should be closed: a client with its token has asked for that (`galley down`), or the data folder
   * was moved or deleted; then with the error that says so.
   */
  readonly stopRequested: Promise<unknown>;
  /** Lets runs finish for a while, hands back those that do not, stops the agents, and gives the folder free. */
  close(): Promise<void>;
}

/** Gives subscribers time to receive the last events. */
const lastEventsMs = 500;

/**
 * Opens a data folder for this machine: REST, JSON-RPC, MCP, events and Studio at one address.
 *
 * @example
 * ```ts
 * import { openDaemon } from "galley/daemon";
 *
 * const daemon = await openDaemon({ galley: { data: ".ship" }, port: 0 });
 * console.log(daemon.url);
 * await daemon.close();
 * ```
 */
export async function openDaemon(options: DaemonOptions): Promise<Daemon> {
  const { data = ".ship" } = options.galley;
  const opened: Closers = [];
  /** All of them, also when one fails: a disk that is gone must not keep the daemon from ending. */
  const closeAll = async (): Promise<void> => {
    const errors: unknown[] = [];
    for (const close of opened.reverse().splice(0)) await close().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  };
  try {
    const owner = await ownDataFolder(data);
    opened.push(() => owner.release());
    const key = await makeDaemonKey(data);
    opened.push(() => key.forget());
    const galley = await openGalley(options.galley);
    opened.push(() => galley.close());
    const own = access();
    galley.redactor.add("daemon-token", own.token);
    const log = daemonLog(join(galley.data, "daemon.log"), galley.redactor.redact);
    opened.push(() => log.close());
    const stopRequested = Promise.withResolvers<unknown>();
    void owner.lost.then(stopRequested.resolve);
    const stop = (): void => stopRequested.resolve(undefined);
    const { context, server, link } = await serve(galley, { ...options, own, key, log, opened, stop });
    await owner.announce({ url: server.url, token: own.token, pid: process.pid, startedAt: context.startedAt });
    const stopResuming = await keepResuming(galley, log);
    opened.push(async () => stopResuming());
    await galley.handover.start();
    let closing: Promise<void> | undefined;
    const finishAndClose = async (): Promise<void> => {
      await finish(context, server, log);
      await closeAll();
    };
    return {
      url: server.url,
      data: galley.data,
      galley,
      link,
      stopRequested: stopRequested.promise,
      close: () => (closing ??= finishAndClose()),
    };
  } catch (error) {
    await closeAll().catch(() => undefined);
    throw error;
  }
}

/** What ends each part, in the order in which they were opened. */
type Closers = (() => Promise<unknown>)[];

interface ServeOptions extends DaemonOptions {
  readonly own: Access;
  readonly key: DaemonKey;
  readonly log: DaemonLog;
  readonly opened: Closers;
  readonly stop: () => void;
}

async function serve(galley: Galley, options: ServeOptions) {
  const { own, key, log, opened, stop, port, usualPort, studio } = options;
  opened.push(async () => log.write("daemon:stopped"));
  const events = daemonEvents();
  const browsers = openBrowsers(galley, events, log);
  opened.push(() => browsers.close());
  let app: ToolRoutes | undefined;
  // The address must be known before there is anything to serve: agents are told where their tools are.
  const starting = (): Response => new Response(null, { status: 503, headers: { "retry-after": "1" } });
  const fetch = (request: Request): Response | Promise<Response> => app?.app.fetch(request) ?? starting();
  const server = await (port === undefined
    ? firstFreeServer(fetch, [browsers.port, usualPort])
    : localServer(fetch, port));
  opened.push(() => server.close());
  opened.push(async () => app?.close());
  await browsers.settle(server.port);
  const { environment = process.env } = options.galley;
  const agents = await daemonAgents({ galley, events, log, mcpUrl: `${server.url}/mcp`, environment });
  opened.push(() => agents.close());
  const forget = galley.events.on(({ type, subject, place }) => events.tell(type, subject, place));
  opened.push(async () => {
    forget();
    events.log.end();
  });
  const held = openTurns({ limitMs: galley.limits.openTurnMs, max: 1000, onError: log.writeError });
  const startedAt = Date.now();
  const confirm = confirmations(options.tell);
  const parts = { galley, events, browsers, agents, openTurns: held, confirmations: confirm };
  const context: HandlerContext = { ...parts, startedAt, version: packageVersion() };
  const link = (): string => `${server.url}/open?code=${own.newCode()}`;
  const prove = (nonce: string): DaemonProofs => key.proofs(nonce, { url: server.url, token: own.token });
  app = daemonApp({ ...context, access: own, log, studio, link, stop, prove });
  if (key.problem !== undefined) {
    log.write("warning", { message: `Commands need --token, because no key could be kept. ${key.problem}` });
  }
  for (const { message } of folderProblems(galley.data)) log.write("warning", { message });
  log.write("daemon:started", { url: server.url, pid: process.pid, version: context.version });
  return { context, server, link };
}

/** Goes on with runs that no process works on: at once with those of this folder's daemon before, then now and then. */
async function keepResuming(galley: Galley, log: DaemonLog): Promise<() => void> {
  const resume = async (isOwner: boolean): Promise<void> => {
    for (const run of await galley.resume({ isOwner })) {
      log.write("run:resumed", { run: run.runId });
      run.result.catch(() => undefined);
    }
  };
  // In a database that several machines share, a run without a sign of life may be another machine's.
  await resume(galley.store.kind === "sqlite");
  const { runLookMs } = galley.limits;
  const detectJump = detectClockJump(2 * runLookMs);
  const timer = setInterval(() => {
    // Others get the time until the next look to renew their leases.
    if (detectJump()) return;
    resume(false).catch(log.writeError);
  }, runLookMs).unref();
  return () => clearInterval(timer);
}

/** The browsers of the data folder; the log says so when they cannot be kept. */
function openBrowsers({ data }: Galley, events: DaemonEvents, log: DaemonLog): BrowserSessions {
  const browsers = new BrowserSessions({
    file: browserFile(data),
    onChange: () => events.tell("browser:changed", ""),
    onError: log.writeError,
  });
  if (browsers.problem !== undefined) {
    log.write("warning", { message: `A restart will sign all browsers out. ${browsers.problem}` });
  }
  return browsers;
}

/** Takes nothing new in, and lets what is running come to its end. */
async function finish(
  { galley, events, openTurns: held }: HandlerContext,
  server: LocalServer,
  log: DaemonLog,
): Promise<void> {
  const milliseconds = galley.limits.stopGraceMs;
  log.write("daemon:stopping");
  const end = performance.now() + milliseconds;
  await held.close();
  const drained = server.drain(milliseconds);
  const over = new AbortController();
  const limit = sleep(milliseconds, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(galley.runs.running().map(({ result }) => result)), limit]);
  over.abort();
  // The events of the runs' ends are among the last.
  events.log.end();
  const moment = Math.max(0, Math.min(end - performance.now(), lastEventsMs));
  await Promise.race([drained, sleep(moment)]);
}

function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
