import { join } from "node:path";
import { presetLibrary } from "../src/presets/preset-library.ts";
import { doctor } from "../src/chat/doctor/doctor.ts";
import { openChat } from "../src/chat/open-chat.ts";
import { canvasStore } from "../src/inject/canvas/canvas-store.ts";
import { checkStore } from "../src/store/check-store.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/ports/ports.ts";

/** What the process of data-writer says of each thing that it does. */
export interface Report {
  readonly kind:
    | "ready"
    | "open"
    | "chat"
    | "archive"
    | "search"
    | "preset"
    | "canvas"
    | "box"
    | "entry"
    | "build"
    | "run"
    | "close";
  /** Acknowledged under this name. */
  readonly name?: string;
  readonly refused?: {
    readonly name: string;
    readonly code: string;
    readonly message: string;
    readonly path?: string | undefined;
    readonly hint?: string | undefined;
  };
}

/** What is wrong with a data folder. Both lists are empty when nothing is. */
export interface DataVerdict {
  /** Acknowledged, and not there as it was. */
  readonly lost: readonly string[];
  readonly problems: readonly string[];
}

/** Opens a data folder again and holds it against what was acknowledged. */
export async function judgeData(data: string, reports: readonly Report[]): Promise<DataVerdict> {
  const named = (kind: Report["kind"]): string[] =>
    reports.flatMap((report) => (report.kind === kind && report.name !== undefined ? [report.name] : []));
  const store = await openStore({ data });
  const lost = [
    ...(await lostOfChat(data, named("chat"), named("archive"))),
    ...(await lostOfPresets(data, named("preset"))),
    ...(await lostOfCanvas(data, named("canvas"))),
    ...(await lostOfStore(store, named)),
  ];
  await store.close();
  const health = await doctor(data);
  const findings = health.flatMap((one) => one.findings.filter(({ severity }) => severity === "error"));
  const problems = [...findings, ...(await checkStore({ data }))].map(({ message }) => message);
  return { lost, problems };
}

async function lostOfChat(data: string, texts: readonly string[], archives: readonly string[]): Promise<string[]> {
  const chat = await openChat(data, "faults");
  const limits = { maxMessages: 1_000_000, maxCharacters: 1e9 };
  const said = chat
    .transcript(limits)
    .messages.map(({ content }) => JSON.stringify(content).slice(1).split(" ")[0] ?? "");
  const kept = new Set(said);
  const { problems } = await chat.listContexts();
  const isThere = (contextId: string): boolean => chat.readContext(contextId).contextId === contextId;
  const gone = archives.filter((id) => !isThere(id)).map((id) => `archive ${id}`);
  await chat.close();
  return [
    ...texts.filter((text) => !kept.has(text)).map((text) => `chat ${text}`),
    ...gone,
    ...problems.map(({ message }) => message),
    // In the order in which they were said, and none twice.
    ...said.filter((text, index) => said.indexOf(text) !== index).map((text) => `doubled ${text}`),
  ];
}

async function lostOfPresets(data: string, labels: readonly string[]): Promise<string[]> {
  const library = presetLibrary({ folder: join(data, "presets"), now: Date.now, onChange: () => undefined });
  const versions = labels.length === 0 ? [] : await library.versions("kept");
  const kept = new Set(versions.map(({ label }) => label));
  // Every version can be read, also of the one that comes and goes.
  for (const { version } of versions) await library.version("kept", version);
  await library.list();
  await library.get("gone").catch((error: { code: string }) => {
    if (error.code !== "NotFound") throw error;
  });
  await library.close();
  return labels.filter((label) => !kept.has(label)).map((label) => `preset ${label}`);
}

async function lostOfCanvas(data: string, versions: readonly string[]): Promise<string[]> {
  const present = await canvasStore({ folder: join(data, "canvases") }).get("mara");
  const newest = Math.max(0, ...versions.map(Number));
  return (present?.version ?? 0) < newest ? [`canvas ${newest}`] : [];
}

async function lostOfStore(store: Store, named: (kind: Report["kind"]) => readonly string[]): Promise<string[]> {
  const lost: string[] = [];
  for (const id of named("box")) {
    const box = await store.cards.openBox("p", id);
    if (box?.cards.filter((card) => card !== undefined).length !== 3) lost.push(`box ${id}`);
  }
  for (const line of named("entry")) {
    const [sessionId = "", id] = line.split(" ");
    const entries = await store.sessions.read({ projectId: "p", sessionId });
    if (!entries.some((entry) => entry.id === id)) lost.push(`entry ${line}`);
  }
  for (const line of named("build")) {
    const [sessionId = "", n, key] = line.split(" ");
    const build = await store.builds.read({ projectId: "p", sessionId }, Number(n));
    if (build?.key !== key || build?.messages.at(-1)?.content !== key) lost.push(`build ${line}`);
  }
  for (const id of named("run")) {
    if ((await store.runs.get("p", id))?.status !== "finished") lost.push(`run ${id}`);
  }
  return lost;
}
