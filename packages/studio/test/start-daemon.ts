import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type RouteInput, type RouteName, type RouteReply, routes } from "galley/api";
import * as z from "zod";

const command = fileURLToPath(new URL("../../host/bin/galley.js", import.meta.url));
const startedSchema = z.looseObject({ url: z.string(), link: z.string() });
const noteSchema = z.looseObject({ token: z.string() });

export interface Daemon {
  readonly url: string;
  /** Opens Studio for one browser, once. */
  readonly link: string;
  readonly data: string;
  /** Asks as a program of the same user does, e.g. to put a preset there before the page opens; throws what is refused. */
  readonly ask: <Name extends RouteName>(name: Name, input?: Partial<RouteInput<Name>>) => Promise<RouteReply<Name>>;
  readonly stop: () => Promise<void>;
}

export interface DaemonOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** More arguments for `galley up`. */
  readonly args?: readonly string[];
}

/** The real daemon on a data folder of its own, as a process. */
export async function startDaemon(options: DaemonOptions = {}): Promise<Daemon> {
  const data = await mkdtemp(join(tmpdir(), "galley-studio-"));
  const args = ["up", "--port", "0", "--data", data, "--json", "--empty", ...(options.args ?? [])];
  const child = spawn(process.execPath, [command, ...args], {
    cwd: data,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { url, link } = startedSchema.parse(await firstDocument(child));
  const { token } = noteSchema.parse(JSON.parse(await readFile(join(data, "daemon.json"), "utf8")));
  return {
    url,
    link,
    data,
    ask: (name, input = {}) => ask(url, token, name, input),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
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

async function ask<Name extends RouteName>(
  url: string,
  token: string,
  name: Name,
  input: Partial<RouteInput<Name>>,
): Promise<RouteReply<Name>> {
  const { method, path } = routes[name];
  const params = (input.params ?? {}) as Readonly<Record<string, string>>;
  const address = new URL(
    `/api${path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ""))}`,
    url,
  );
  for (const [key, value] of Object.entries<string>(input.query ?? {})) {
    address.searchParams.set(key, value);
  }
  const response = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${name} was refused: ${text}`);
  // A stream is read to its end and given as the list of its events.
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) return eventsOf(text) as RouteReply<Name>;
  return JSON.parse(text) as RouteReply<Name>;
}

function eventsOf(text: string): unknown {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as unknown);
}
