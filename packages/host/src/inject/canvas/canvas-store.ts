import { createHash } from "node:crypto";
import { link, mkdir, open, readFile, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { GalleyError, parseJson } from "@galley/engine";
import * as z from "zod";
import { disarmHtml } from "./canvas-document.ts";
import { canvasUpdateSchema, maximumHtmlBytes } from "./canvas-limits.ts";
import type { HookEventBus } from "../session/hook-event-bus.ts";

const canvasSchema = z.object({
  v: z.literal(1),
  agentName: z.string(),
  version: z.int().min(1),
  title: z.string(),
  /** Empty when the canvas was cleared. */
  html: z.string(),
  updatedAt: z.string(),
});

/** One version of an agent's canvas. The html is disarmed; to show it, take `canvasDocument`. */
export type Canvas = Readonly<z.output<typeof canvasSchema>>;

export interface CanvasStore {
  /** Replaces the canvas of an agent, with the arguments of `actant_canvas_update`. */
  update(agentName: string, given: unknown): Promise<Canvas>;
  clear(agentName: string): Promise<Canvas>;
  /** The present canvas; nothing when the agent never had one. An earlier version as long as it is kept. */
  get(agentName: string, version?: number): Promise<Canvas | undefined>;
}

export interface CanvasStoreOptions {
  readonly folder: string;
  readonly eventBus?: HookEventBus;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Takes secrets out of what is written [P6]. */
  readonly redact?: <Value>(value: Value) => Value;
  /** How many versions are kept of each canvas. */
  readonly keptVersions?: number;
}

/** Canvases on disk: each version is a file of its own, and the highest number is the canvas [I8]. */
export function canvasStore(options: CanvasStoreOptions): CanvasStore {
  const { folder, eventBus, clock = Date.now, redact = (value) => value, keptVersions = 20 } = options;
  const folderOf = (agentName: string): string => join(folder, folderName(agentName));

  async function put(
    agentName: string,
    change: (last: Canvas | undefined) => Pick<Canvas, "title" | "html">,
  ): Promise<Canvas> {
    const own = folderOf(agentName);
    await mkdir(own, { recursive: true, mode: 0o700 });
    for (;;) {
      const versions = await versionsIn(own);
      const last = await readLast(own, versions);
      const version = (versions.at(-1) ?? 0) + 1;
      const updatedAt = new Date(clock()).toISOString();
      const canvas: Canvas = redact({ v: 1, agentName, version, ...change(last), updatedAt });
      if (!(await writeVersion(own, version, `${JSON.stringify(canvas)}\n`))) continue;
      for (const old of versions.slice(0, 1 - keptVersions)) await rm(join(own, `${old}.json`), { force: true });
      return canvas;
    }
  }

  const putOrSayWhy: typeof put = (agentName, change) =>
    put(agentName, change).catch((cause: unknown) => {
      throw refused(cause, folderOf(agentName));
    });

  const tell = (event: string, { agentName, version, title, html }: Canvas): void => {
    const data = { version, title, bytes: Buffer.byteLength(html) };
    eventBus?.emit(event, { agentName, data, callerType: "agent", callerId: agentName });
  };

  return {
    async update(agentName, given) {
      const { html, title } = parseUpdate(given);
      const canvas = await putOrSayWhy(agentName, (last) => ({
        title: title ?? last?.title ?? "",
        html: disarmHtml(html),
      }));
      tell("canvas:updated", canvas);
      return canvas;
    },
    async clear(agentName) {
      const canvas = await putOrSayWhy(agentName, () => ({ title: "", html: "" }));
      tell("canvas:cleared", canvas);
      return canvas;
    },
    async get(agentName, version) {
      const own = folderOf(agentName);
      const versions = await versionsIn(own);
      if (version === undefined) return readLast(own, versions);
      return versions.includes(version) ? readVersion(own, version) : undefined;
    },
  };
}

function parseUpdate(given: unknown): z.output<typeof canvasUpdateSchema> {
  const { success, data, error } = canvasUpdateSchema.safeParse(given);
  if (!success) {
    const [issue] = error.issues;
    const path = issue ? z.core.toDotPath(issue.path) : "";
    throw new GalleyError("CanvasRefused", `The canvas cannot be updated: ${path || "it"}: ${issue?.message}.`, {
      path,
    });
  }
  const bytes = Buffer.byteLength(data.html);
  if (bytes <= maximumHtmlBytes) return data;
  throw new GalleyError("CanvasRefused", `The html has ${bytes} bytes; a canvas holds ${maximumHtmlBytes}.`, {
    path: "html",
    hint: "Leave something out, or use smaller pictures.",
  });
}

/** What the disk refused, as one of our errors. */
function refused(cause: unknown, folder: string): unknown {
  if (!(cause instanceof Error) || !("code" in cause) || cause instanceof GalleyError) return cause;
  const code = String(cause.code);
  return new GalleyError("StorageFailed", `${folder} cannot be written (${code}).`, {
    path: folder,
    hint: "Check the disk: it may be full or read-only. The canvas is as it was.",
    retryable: code === "ENOSPC" || code === "EDQUOT",
    cause,
  });
}

/** Safe on every file system, and two names never share one, in either letter case. */
function folderName(agentName: string): string {
  const readable = agentName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  return `${readable}-${createHash("sha256").update(agentName).digest("hex").slice(0, 16)}`;
}

async function versionsIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names
    .flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

async function readLast(folder: string, versions: readonly number[]): Promise<Canvas | undefined> {
  const last = versions.at(-1);
  return last === undefined ? undefined : readVersion(folder, last);
}

async function readVersion(folder: string, version: number): Promise<Canvas> {
  const file = join(folder, `${version}.json`);
  const { success, data } = canvasSchema.safeParse(
    parseJson(await readFile(file, "utf8"), { what: `canvas ${file}`, path: file }),
  );
  // Disarmed again: the file may have been written by hand, or by a version that allowed more.
  if (success) return { ...data, html: disarmHtml(data.html) };
  throw new GalleyError("FileUnreadable", `${file} is not a canvas.`, {
    path: file,
    hint: "Delete the file, and the version before it is the canvas again.",
  });
}

/** Writes a version whole or not at all. Says no when another process has just written one of this number. */
async function writeVersion(folder: string, version: number, text: string): Promise<boolean> {
  const draft = join(
    folder,
    `${version}-${process.pid}-${createHash("sha256").update(text).digest("hex").slice(0, 8)}.draft`,
  );
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    // Unlike a rename, a link never takes the place of a file that is there.
    await link(draft, join(folder, `${version}.json`));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const directory = await open(folder, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
  await dropOldDrafts(folder);
  return true;
}

/** Drafts of a process that died. */
async function dropOldDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".draft")) continue;
    const info = await stat(join(folder, name)).catch(() => undefined);
    if (info && Date.now() - info.mtimeMs > 600_000) await rm(join(folder, name), { force: true });
  }
}
