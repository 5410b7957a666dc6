import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type RouteName, type RouteReply, routes } from "galley/api";
import type { Input } from "galley/api/client";
import * as z from "zod";
import { launcher } from "../../../scripts/launcher.ts";
import { type DaemonClient, daemonClient } from "../../host/src/daemon/client/daemon-client.ts";
import { readNote } from "../../host/src/daemon/client/data-owner.ts";

const startedSchema = z.looseObject({ url: z.string(), link: z.string() });

export interface Daemon {
  readonly url: string;
  /** Opens Studio for one browser, once. */
  readonly link: string;
  readonly data: string;
  /** What stands in the terminal in which it runs, beside its first document. */
  readonly said: () => string;
  /** Asks as a program of the same user does, e.g. to put a preset there before the page opens; throws what is refused. */
  readonly ask: <Name extends RouteName>(name: Name, input?: Input<Name>) => Promise<RouteReply<Name>>;
  /** Ends the process and leaves its data. */
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
  /** Ends it and takes its data away. */
  readonly stop: () => Promise<void>;
}

export interface DaemonOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** One that a daemon before has left: then the port is left to the command, as a person does who starts it again. */
  readonly data?: string;
  /** More arguments for `galley up`. */
  readonly args?: readonly string[];
}

/** The real daemon on a data folder of its own, as a process. */
export async function startDaemon(options: DaemonOptions = {}): Promise<Daemon> {
  const data = options.data ?? (await mkdtemp(join(tmpdir(), "galley-studio-")));
  const port = options.data === undefined ? ["--port", "0"] : [];
  const args = ["up", ...port, "--data", data, "--json", "--empty", ...(options.args ?? [])];
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: data,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const { url, link } = startedSchema.parse(await firstDocument(child));
  const note = readNote(data);
  if (!note) throw new Error(`The daemon has left no note in ${data}.`);
  const client = daemonClient(note);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  return {
    url,
    link,
    data,
    said: () => said,
    ask: (name, input) => ask(client, name, input),
    end,
    stop: async () => {
      await end("SIGTERM");
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** The first document that the command prints; what it says on stderr when it ends instead. */
async function firstDocument(child: ChildProcess): Promise<unknown> {
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  if (!child.stdout) throw new Error("The daemon has no output.");
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error(`The daemon did not start: ${complaint}`);
}

/** A stream is read to its end and given as the list of its events. */
async function ask<Name extends RouteName>(
  client: DaemonClient,
  name: Name,
  input = {} as Input<Name>,
): Promise<RouteReply<Name>> {
  if (!("stream" in routes[name])) return client.call(name, input);
  const events: unknown[] = [];
  for await (const event of client.stream(name, input)) events.push(event);
  return events as RouteReply<Name>;
}
