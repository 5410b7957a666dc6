import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { onTestFinished } from "vitest";
import { type Route, type RouteInput, type RouteName, type RouteReply, routes } from "../../api/index.ts";
import { type DaemonNote, readNote } from "../client/data-owner.ts";
import { type Daemon, type DaemonOptions, openDaemon } from "../open-daemon.ts";

/** A folder that goes with the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-daemon-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface RequestParts {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request with exactly these headers; `fetch` does not let one lie about hosts. */
export function send(url: string, { method = "GET", headers = {}, body }: RequestParts = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (piece: string) => (text += piece));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

type Parts<Name extends RouteName> = Partial<RouteInput<Name>>;

/** A client of the route table with the daemon's own token. */
export interface TestClient {
  /** The reply as the route's schema reads it; throws what the daemon says when it refuses. */
  call<Name extends RouteName>(name: Name, input?: Parts<Name>): Promise<RouteReply<Name>>;
  /** Status and document, whatever they are. */
  answer(name: RouteName, input?: object): Promise<{ readonly status: number; readonly body: unknown }>;
  /** The events of a stream; ends when `isEnough` says so, or the stream does. */
  events<Name extends RouteName>(
    name: Name,
    input?: Parts<Name>,
    options?: FollowOptions<RouteReply<Name>>,
  ): Promise<readonly TestEvent<RouteReply<Name>>[]>;
  /** Any path, with the token. */
  get(path: string): Promise<Answer>;
}

export interface FollowOptions<Data> {
  readonly isEnough?: (event: Data) => boolean;
  readonly lastEventId?: string;
  /** Called when the daemon has begun to answer: what happens from now on is told. */
  readonly onOpen?: () => void;
}

export interface TestEvent<Data> {
  readonly id: string | undefined;
  readonly data: Data;
}

export function testClient({ url, token }: Pick<DaemonNote, "url" | "token">): TestClient {
  // A connection that has been idle may be closed by the daemon in the moment in which it is used again.
  const headers = { authorization: `Bearer ${token}`, connection: "close" };
  const fetchRoute = (name: RouteName, input: object, more: Record<string, string> = {}, signal?: AbortSignal) => {
    const { method, path } = routes[name];
    const { params = {}, query = {}, body } = input as { params?: object; query?: object; body?: object };
    const values = params as Readonly<Record<string, unknown>>;
    const place = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(values[key])));
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    );
    return fetch(`${url}/api${place}?${search.toString()}`, {
      method,
      headers: { ...headers, ...more, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      ...(signal ? { signal } : {}),
    });
  };
  return {
    async call(name, input = {}) {
      const response = await fetchRoute(name, input);
      if (!response.ok) throw await refusal(name, response);
      return (routes[name] as Route).reply.parse(await response.json()) as never;
    },
    async answer(name, input = {}) {
      const response = await fetchRoute(name, input);
      const text = await response.text();
      if (text === "") throw new Error(`${name}: ${response.status} without a document`);
      return { status: response.status, body: JSON.parse(text) as unknown };
    },
    async events(name, input = {}, { isEnough = () => false, lastEventId, onOpen = () => undefined } = {}) {
      const leaving = new AbortController();
      const more: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      const response = await fetchRoute(name, input, more, leaving.signal);
      if (!response.ok) throw await refusal(name, response);
      onOpen();
      const found: TestEvent<RouteReply<typeof name>>[] = [];
      for await (const event of readEvents(response)) {
        found.push(event as (typeof found)[number]);
        if (isEnough(event.data as RouteReply<typeof name>)) break;
      }
      leaving.abort();
      return found;
    },
    get: (path) => send(url + path, { headers }),
  };
}

/** What a request was refused with, as an error; the server itself refuses without a document. */
async function refusal(name: RouteName, response: Response): Promise<Error> {
  const text = await response.text();
  const error = new Error(`${name}: ${response.status} ${text}`);
  return Object.assign(error, text === "" ? {} : (JSON.parse(text) as object));
}

async function* readEvents({ body }: Response): AsyncGenerator<TestEvent<unknown>> {
  const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { id, data } of events ?? []) yield { id, data: JSON.parse(data) };
}

export interface TestDaemon extends TestClient {
  readonly daemon: Daemon;
  readonly url: string;
  readonly token: string;
  readonly data: string;
  /** The cookie of a browser that came by a link. */
  login(): Promise<string>;
  log(): string;
}

/** A daemon in this process on a folder of its own; it is closed when the test ends. */
export async function testDaemon(options: Partial<DaemonOptions> = {}): Promise<TestDaemon> {
  const data = options.galley?.data ?? join(testFolder(), "data");
  const { config: given = false } = options.galley ?? {};
  // A model that never answers must not hold up the end of every test.
  const config = typeof given === "object" ? { ...given, limits: { stopGraceMs: 2000, ...given.limits } } : given;
  const daemon = await openDaemon({ ...options, galley: { ...options.galley, config, data } });
  onTestFinished(() => daemon.close());
  const { url } = daemon;
  const token = readNote(data)?.token ?? "";
  return {
    ...testClient({ url, token }),
    daemon,
    url,
    token,
    data,
    async login() {
      const { headers } = await send(daemon.link());
      return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
    },
    log: () => readFileSync(join(data, "daemon.log"), "utf8"),
  };
}

/** A daemon in a process of its own, as `galley up` starts it. */
export interface DaemonProcess extends TestClient {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly data: string;
  /** Everything that it has printed. */
  printed(): string;
  /** Ends it and gives the exit code; `null` after a SIGKILL. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

// As scripts/launcher.ts says it, to which only tests themselves may reach.
const ownLauncher =
  process.env["GALLEY_TEST_LAUNCHER"] ?? fileURLToPath(new URL("../../../bin/galley.js", import.meta.url));

export interface ProcessOptions {
  readonly data?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The way into another version than this one. */
  readonly launcher?: string;
  /** With what `galley up` puts into a new folder. */
  readonly hasDemo?: boolean;
}

/** Starts `galley up` on a folder and waits until it serves. */
export async function daemonProcess(options: ProcessOptions = {}): Promise<DaemonProcess> {
  const data = options.data ?? join(testFolder(), "data");
  const started = galleyProcess(
    ["up", "--json", "--port", "0", "--data", data, ...(options.hasDemo ? [] : ["--empty"])],
    options,
  );
  const { child, exited } = started;
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout ?? process.stdin }).once("line", resolve);
    void exited.then((code) => reject(new Error(`It ended with ${code}: ${started.printed()}`)));
  });
  const { url } = JSON.parse(await ready) as { readonly url: string };
  const token = readNote(data)?.token ?? "";
  return {
    ...testClient({ url, token }),
    child,
    url,
    token,
    data,
    printed: () => started.printed(),
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

/** The command in a process of its own; it does not outlive the test. */
export function galleyProcess(
  args: readonly string[],
  { args: more = [], env = {}, launcher = ownLauncher }: ProcessOptions = {},
): { readonly child: ChildProcess; printed(): string; readonly exited: Promise<number | null> } {
  const child = spawn(process.execPath, [launcher, ...args, ...more], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    cwd: tmpdir(),
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => (text += String(piece)));
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, printed: () => text, exited };
}
