import { expect } from "vitest";
import type { RunEvent } from "../src/api/index.ts";
import type { TestClient } from "../src/daemon/testing/temp-daemon.ts";

/** A run that a kill may hit, and what must be true of it in the end. */
export interface Planned {
  readonly runId: string;
  readonly kind: (typeof kinds)[number];
  readonly place: { readonly chat: string } | { readonly session: string };
  readonly input: string;
  /** Instructions that are given to somebody else, each once. */
  readonly tasks: readonly string[];
}

/** What its client has seen before the daemon died. */
export interface Seen {
  readonly planned: Planned;
  isStarted: boolean;
  /** The text of the reply, when the end of the run was told. */
  reply: string | undefined;
}

const kinds = ["talk", "switch", "delegate", "session", "ask", "queued", "fork", "return"] as const;

/** Runs of every kind in places of their own; of those that are queued, two share a chat. */
export function planRuns(round: string, count: number): readonly Planned[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? "talk";
    const runId = `${round}-${index}`;
    const name = kind === "queued" ? `queue-${round}-${Math.floor(index / 16)}` : `${kind}-${runId}`;
    const place = kind === "session" ? { session: name } : { chat: name };
    return { runId, kind, place, ...said(kind, runId) };
  });
}

function said(kind: Planned["kind"], id: string): Pick<Planned, "input" | "tasks"> {
  switch (kind) {
    case "talk":
    case "session":
    case "queued":
      return { input: `say 80 words ${id}`, tasks: [] };
    case "switch":
      return { input: `new topic: ${id}\nsay 50 words`, tasks: [] };
    case "return":
      return { input: `new topic: ${id}\nback to: tea ${id}`, tasks: [] };
    case "delegate":
      return { input: `delegate to helper: task ${id}\nsay 50 words`, tasks: [`task ${id}`] };
    case "ask":
      return { input: `ask helper: question ${id}`, tasks: [`question ${id}`] };
    case "fork":
      return { input: `fork helper: one ${id} | two ${id}`, tasks: [`one ${id}`, `two ${id}`] };
  }
}

const hasBefore = ({ kind }: Planned): boolean => kind === "switch" || kind === "return";
const before = ({ runId }: Planned) => [
  { role: "user" as const, content: `Where is the tea ${runId}?` },
  { role: "assistant" as const, content: `The tea ${runId} is in the pantry.` },
];

/** What stands in the chats before the runs begin. */
export async function prepare(client: TestClient, runs: readonly Planned[]): Promise<void> {
  for (const run of runs.filter(hasBefore)) {
    if ("chat" in run.place) {
      await client.call("chats.add", { params: { key: run.place.chat }, body: { messages: before(run) } });
    }
  }
}

/** Asks for a run and takes down what comes, until the end of the run or of the connection; calls back at each event. */
export async function follow(client: TestClient, seen: Seen, onEvent: () => void): Promise<void> {
  const { runId, place, input } = seen.planned;
  const note = (event: RunEvent): boolean => {
    if (event.type === "run:started") seen.isStarted = true;
    if (event.type === "run:finished") seen.reply = event.result.text;
    onEvent();
    return false;
  };
  const body = { ...place, input, runId };
  await client.events("runs.start", { body }, { isEnough: note }).catch((error: unknown) => {
    // So `fetch` tells of a connection that ended; what the daemon has refused is another matter.
    if (!(error instanceof TypeError)) throw error;
  });
}

/** Every run that was begun comes to an end, with the reply that was told of, if one was. */
export async function checkEnds(client: TestClient, all: readonly Seen[]): Promise<void> {
  const running = async () => (await client.call("runs.list", { query: { status: "running", limit: 1000 } })).runs;
  await expect.poll(running, { timeout: 120_000, interval: 200 }).toEqual([]);
  for (const { planned, isStarted, reply } of all) {
    const { status, body } = await client.answer("runs.get", { params: { id: planned.runId } });
    if (status === 404) expect({ planned, isStarted, reply }).toEqual({ planned, isStarted: false, reply: undefined });
    else expect({ planned, body }).toMatchObject({ planned, body: { status: "finished" } });
    if (reply !== undefined) expect(body).toMatchObject({ reply: { content: reply } });
  }
}

const contentsOf = (messages: readonly { readonly content: unknown }[]): readonly unknown[] =>
  messages.map(({ content }) => content);

/** Once everything has run: each message, switch and task is there once. */
export async function checkOnce(client: TestClient, all: readonly Planned[]): Promise<void> {
  for (const run of all) {
    const { reply } = await client.call("runs.get", { params: { id: run.runId } });
    const pair = [run.input, reply?.content];
    if ("session" in run.place) await checkSession(client, run.place.session, pair);
    else if (run.kind === "queued") await checkQueue(client, run.place.chat, pair);
    else await checkChat(client, run, run.place.chat, pair);
  }
  await checkTasks(client, all);
}

async function checkSession(client: TestClient, id: string, pair: readonly unknown[]): Promise<void> {
  const { entries } = await client.call("sessions.entries", { params: { id } });
  expect(contentsOf(entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])))).toEqual(pair);
  expect(new Set(entries.map((entry) => entry.id)).size).toBe(entries.length);
}

async function checkQueue(client: TestClient, key: string, pair: readonly unknown[]): Promise<void> {
  for (const name of ["chats.transcript", "chats.active"] as const) {
    const contents = contentsOf((await client.call(name, { params: { key }, query: { limit: 1000 } })).messages);
    const at = contents.indexOf(pair[0]);
    expect(contents.slice(at, at + 2)).toEqual(pair);
    expect(contents.filter((content) => content === pair[0])).toHaveLength(1);
  }
}

async function checkChat(client: TestClient, run: Planned, key: string, pair: readonly unknown[]): Promise<void> {
  const earlier = hasBefore(run) ? contentsOf(before(run)) : [];
  const { messages: transcript } = await client.call("chats.transcript", { params: { key } });
  expect(contentsOf(transcript)).toEqual([...earlier, ...pair]);
  expect(new Set(transcript.map(({ id }) => id)).size).toBe(transcript.length);
  const { messages: active } = await client.call("chats.active", { params: { key } });
  const { contexts } = await client.call("chats.get", { params: { key } });
  // What was brought back stands before what was said now.
  const isBack = run.kind === "return";
  expect({ key, active: contentsOf(active) }).toEqual({ key, active: [...(isBack ? earlier : []), ...pair] });
  expect({ key, contexts: contexts.map(({ messageCount }) => messageCount) }).toEqual({
    key,
    contexts: hasBefore(run) ? [2] : [],
  });
}

async function checkTasks(client: TestClient, all: readonly Planned[]): Promise<void> {
  const list = async () => (await client.call("tasks.list", { query: { limit: 500 } })).tasks;
  const open = async () => (await list()).filter(({ finishedAt }) => finishedAt === null);
  await expect.poll(open, { timeout: 120_000, interval: 200 }).toEqual([]);
  const given = await list();
  for (const task of all.flatMap(({ tasks }) => tasks)) {
    const own = given.filter(({ instruction }) => instruction === task);
    expect({ task, statuses: own.map(({ status }) => status) }).toEqual({ task, statuses: ["succeeded"] });
  }
}
