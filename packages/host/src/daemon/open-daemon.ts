import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Hono } from "hono";
import type { Galley, OpenGalleyOptions } from "../galley/galley.ts";
import { openGalley } from "../galley/open-galley.ts";
import { folderProblems } from "../disk/folder-rights.ts";
import { detectClockJump } from "../store/database/detect-clock-jump.ts";
import { browserFile } from "./http/browser-file.ts";
import { type BrowserSessions, browserSessions } from "./http/browser-sessions.ts";
import { daemonAgents } from "./agents/daemon-agents.ts";
import { daemonApp } from "./daemon-app.ts";
import { type DaemonEvents, daemonEvents } from "./events/daemon-events.ts";
import { type DaemonLog, daemonLog } from "./http/daemon-log.ts";
import { ownDataFolder } from "./client/data-owner.ts";
import type { HandlerContext } from "./handlers/handler-context.ts";
import { routeHandlers } from "./handlers/handle-routes.ts";
import { openTurns } from "./handlers/open-turns.ts";
import { type Access, access } from "./http/access.ts";
import { bindRoutes } from "./http/bind-routes.ts";
import { visitorOf } from "./http/guard.ts";
import { streamCount } from "./http/stream-count.ts";
import { studioFiles } from "./http/studio-files.ts";
import { type LocalServer, firstFreeServer, localServer } from "./http/local-server.ts";
import { ownersName } from "../config/reserved-agent-name.ts";
import { ownerSession } from "./tools/owner-session.ts";
import type { ToolSession } from "./tools/tool-session.ts";
import { toolRoutes } from "./rpc/tool-routes.ts";

export interface DaemonOptions {
  readonly galley: OpenGalleyOptions;
  /** If absent: the one at which its browsers are signed in, `usualPort`, or any, whichever is free first. */
  readonly port?: number;
  /** Taken when it is free. */
  readonly usualPort?: number;
  /** The folder of Studio's build. */
  readonly studio?: string;
  readonly streamsPerClient?: number;
}

/** A daemon at work. */
export interface Daemon {
  /** `http://127.0.0.1:4417` */
  readonly url: string;
  readonly data: string;
  readonly galley: Galley;
  /** A link that lets one browser in, once, for ten minutes. */
  link(): string;
  /** Resolves when a client with the daemon's token has asked for the end: `galley down`. */
  readonly stopRequested: Promise<void>;
  /** Lets running turns finish for a while, hands the others back, stops the agents, and gives the folder free. */
  close(): Promise<void>;
}

const megabyte = 1024 * 1024;
const lastWordsMs = 500;

/** Opens a data folder for this machine: REST, JSON-RPC, MCP, events and Studio at one address. */
export async function openDaemon(options: DaemonOptions): Promise<Daemon> {
  const { data = ".ship" } = options.galley;
  const opened: (() => Promise<unknown>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.reverse().splice(0)) await close();
  };
  try {
    const owner = await ownDataFolder(data);
    opened.push(() => owner.release());
    const galley = await openGalley(options.galley);
    opened.push(() => galley.close());
    const parts = await openParts(galley, options);
    opened.push(() => parts.close());
    await owner.announce({
      url: parts.server.url,
      token: parts.access.token,
      pid: process.pid,
      startedAt: parts.startedAt,
    });
    const stopResuming = await keepResuming(galley, parts.log);
    opened.push(async () => stopResuming());
    await galley.handover.start();
    let closing: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      await parts.finish(galley.limits.stopGraceMs);
      await closeAll();
    };
    return {
      url: parts.server.url,
      data: galley.data,
      galley,
      link: () => parts.link(),
      stopRequested: parts.stopRequested,
      close: () => (closing ??= stop()),
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Goes on with runs that nobody works on: at once with those of this folder's daemon before, then now and then. */
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
    resume(false).catch((error: unknown) => {
      log.write("error", { message: error instanceof Error ? error.message : "Runs cannot be resumed." });
    });
  }, runLookMs).unref();
  return () => clearInterval(timer);
}

interface DaemonParts {
  readonly server: LocalServer;
  readonly access: Access;
  readonly log: DaemonLog;
  readonly startedAt: number;
  readonly stopRequested: Promise<void>;
  link(): string;
  /** Takes nothing new in, and waits for what is running. */
  finish(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

async function openParts(galley: Galley, options: DaemonOptions): Promise<DaemonParts> {
  const door = access();
  galley.redactor.add("daemon-token", door.token);
  const log = daemonLog({ file: join(galley.data, "daemon.log"), redact: galley.redactor.redact });
  const events = daemonEvents();
  const forget = galley.events.on(({ type, subject }) => events.tell(type, subject));
  const held = openTurns({
    limitMs: galley.limits.openTurnMs,
    max: 1000,
    onError: (error) => log.write("error", { message: error instanceof Error ? error.message : "" }),
  });
  let app: Hono | undefined;
  // The address must be known before there is anything to serve: agents are told where their tools are.
  const starting = (): Response => new Response(null, { status: 503, headers: { "retry-after": "1" } });
  const fetch = (request: Request): Response | Promise<Response> => app?.fetch(request) ?? starting();
  const browsers = openBrowsers(galley, events, log);
  const { port, usualPort } = options;
  const server = await (port === undefined
    ? firstFreeServer(fetch, [browsers.port, usualPort])
    : localServer(fetch, port));
  await browsers.settle(server.port);
  const { environment = process.env } = options.galley;
  const agents = await daemonAgents({ galley, events, log, mcpUrl: `${server.url}/mcp`, environment });
  const context: HandlerContext = {
    galley,
    events,
    browsers,
    agents,
    openTurns: held,
    startedAt: Date.now(),
    version: packageVersion(),
  };
  const stopRequested = Promise.withResolvers<void>();
  const link = (): string => `${server.url}/open?code=${door.newCode()}`;
  const served = serveDaemon(context, { ...options, access: door, log, link, stopRequested });
  app = served.app;
  for (const { message } of folderProblems(galley.data)) log.write("warning", { message });
  log.write("daemon:started", { url: server.url, pid: process.pid, version: context.version });
  return {
    server,
    access: door,
    log,
    startedAt: context.startedAt,
    link,
    stopRequested: stopRequested.promise,
    finish: (milliseconds) => finish(context, server, log, milliseconds),
    async close() {
      forget();
      events.log.end();
      await agents.close();
      await served.close();
      await server.close();
      await browsers.close();
      log.write("daemon:stopped");
      await log.close();
    },
  };
}

/** The browsers of the data folder; the log says so when they cannot be kept. */
function openBrowsers({ data }: Galley, events: DaemonEvents, log: DaemonLog): BrowserSessions {
  const browsers = browserSessions({
    file: browserFile(data),
    onChange: () => events.tell("browser:changed", ""),
    onError: (error) => log.write("error", errorFields(error)),
  });
  if (browsers.problem !== undefined) {
    log.write("warning", { message: `A restart will sign all browsers out. ${browsers.problem}` });
  }
  return browsers;
}

interface ServeOptions extends DaemonOptions {
  readonly access: Access;
  readonly log: DaemonLog;
  readonly link: () => string;
  readonly stopRequested: PromiseWithResolvers<void>;
}

/** The app with everything that it serves, and what ends it. */
function serveDaemon(
  context: HandlerContext,
  options: ServeOptions,
): { readonly app: Hono; readonly close: () => Promise<void> } {
  const { access: door, log, link, stopRequested } = options;
  const { agents, browsers, galley, version } = context;
  const { redact } = galley.redactor;
  const routes = bindRoutes(routeHandlers(context), {
    redact,
    streams: streamCount(options.streamsPerClient ?? 256),
    callerOf: (c) => {
      const visitor = visitorOf(c, door, browsers);
      if (visitor?.kind === "browser") return { client: `browser ${visitor.browser.id}`, browser: visitor.browser };
      return { client: visitor?.kind ?? "" };
    },
    bodyLimitBytes: 2 * megabyte,
    largeBodyLimitBytes: 64 * megabyte,
    heartbeatMs: galley.limits.heartbeatMs,
  });
  const own = async (): Promise<ToolSession> => {
    const { tools: found } = await galley.toolsFor({ kind: "agent", name: ownersName });
    return ownerSession({ token: door.token, tools: found, methods: routes.methods });
  };
  const { toolHost } = agents.host;
  const tools = toolRoutes(
    {
      open: (token, through) => (door.isToken(token) ? own() : toolHost.open(token, through)),
      noteListing: (sessionId) => toolHost.noteListing(sessionId),
    },
    { redact, onError: (error) => log.write("error", errorFields(error)) },
  );
  const studio = studioFiles(options.studio);
  const control = { link, stop: () => stopRequested.resolve() };
  const app = daemonApp({ access: door, browsers, routes, tools, agents, studio, redact, log, version, control });
  return { app, close: () => tools.close() };
}

function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) };
}

/** Takes nothing new in, and lets what is running come to its end. */
async function finish(
  { galley, events, openTurns: held }: HandlerContext,
  server: LocalServer,
  log: DaemonLog,
  milliseconds: number,
): Promise<void> {
  log.write("daemon:stopping");
  const end = performance.now() + milliseconds;
  await held.close();
  const drained = server.drain(milliseconds);
  const over = new AbortController();
  const limit = sleep(milliseconds, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([Promise.allSettled(galley.runs.running().map(({ result }) => result)), limit]);
  over.abort();
  // Whoever follows what happens has heard the ends of the runs; the last words need a moment on their way.
  events.log.end();
  const moment = Math.max(0, Math.min(end - performance.now(), lastWordsMs));
  await Promise.race([drained, sleep(moment)]);
}

function packageVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}
