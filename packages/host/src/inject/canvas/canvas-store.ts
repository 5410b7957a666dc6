import { createHash } from "node:crypto";
import { join } from "node:path";
import { GalleyError, parseJson } from "@galley/engine";
import { problemsOf } from "@galley/engine/schemas";
import * as z from "zod";
import { disarmHtml } from "./canvas-document.ts";
import { type VersionedFiles, versionedFiles } from "../../disk/versioned-files.ts";
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

/** The canvases of the agents of a data folder. */
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
  readonly keptVersions?: number;
}

/** Canvases on disk: each version is a file of its own, and the highest number is the canvas [I8]. */
export function canvasStore(options: CanvasStoreOptions): CanvasStore {
  const { folder, eventBus, clock = Date.now, redact = (value) => value, keptVersions = 20 } = options;
  const filesOf = (agentName: string): VersionedFiles => versionedFiles(join(folder, folderName(agentName)));

  async function put(
    agentName: string,
    change: (last: Canvas | undefined) => Pick<Canvas, "title" | "html">,
  ): Promise<Canvas> {
    const files = filesOf(agentName);
    for (;;) {
      const versions = files.versions();
      const version = (versions.at(-1) ?? 0) + 1;
      const updatedAt = new Date(clock()).toISOString();
      const canvas: Canvas = redact({ v: 1, agentName, version, ...change(readLast(files)), updatedAt });
      if (!(await files.add(version, `${JSON.stringify(canvas)}\n`))) continue;
      files.remove(versions.slice(0, 1 - keptVersions));
      return canvas;
    }
  }

  const tell = (event: string, { agentName, version, title, html }: Canvas): void => {
    const data = { version, title, bytes: Buffer.byteLength(html) };
    eventBus?.emit(event, { agentName, data, callerType: "agent", callerId: agentName });
  };

  return {
    async update(agentName, given) {
      const { html, title } = parseUpdate(given);
      const canvas = await put(agentName, (last) => ({
        title: title ?? last?.title ?? "",
        html: disarmHtml(html),
      }));
      tell("canvas:updated", canvas);
      return canvas;
    },
    async clear(agentName) {
      const canvas = await put(agentName, () => ({ title: "", html: "" }));
      tell("canvas:cleared", canvas);
      return canvas;
    },
    async get(agentName, version) {
      const files = filesOf(agentName);
      if (version === undefined) return readLast(files);
      return files.versions().includes(version) ? readVersion(files, version) : undefined;
    },
  };
}

function parseUpdate(given: unknown): z.output<typeof canvasUpdateSchema> {
  const { success, data, error } = canvasUpdateSchema.safeParse(given);
  if (!success) {
    const [issue] = error.issues;
    const path = problemsOf(error.issues, "CanvasRefused")[0]?.path ?? "";
    throw new GalleyError("CanvasRefused", `The canvas cannot be updated: ${path || "it"}: ${issue?.message}.`, {
      path,
    });
  }
  const bytes = Buffer.byteLength(data.html);
  if (bytes <= maxHtmlBytes) return data;
  throw new GalleyError("CanvasRefused", `The html has ${bytes} bytes; a canvas holds ${maxHtmlBytes}.`, {
    path: "html",
    hint: "Leave something out, or use smaller pictures.",
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

function readLast(files: VersionedFiles): Canvas | undefined {
  const last = files.versions().at(-1);
  return last === undefined ? undefined : readVersion(files, last);
}

function readVersion(files: VersionedFiles, version: number): Canvas {
  const file = files.fileOf(version);
  const { success, data } = canvasSchema.safeParse(
    parseJson(files.read(version), { what: `canvas ${file}`, path: file }),
  );
  // Disarmed again: the file may have been written by hand, or by a version that allowed more.
  if (success) return { ...data, html: disarmHtml(data.html) };
  throw new GalleyError("FileUnreadable", `${file} is not a canvas.`, {
    path: file,
    hint: "Delete the file, and the version before it is the canvas again.",
  });
}

/** The most that a canvas may hold, in bytes of UTF-8 [I8]. */
const maxHtmlBytes = 512 * 1024;

/** The arguments of `actant_canvas_update`. */
export const canvasUpdateSchema = z.strictObject({
  html: z
    .string()
    .meta({ description: `The whole page, as HTML with inline CSS; at most ${maxHtmlBytes / 1024} KiB.` }),
  title: z.string().max(200).optional().meta({ description: "A short title; the last one stays if there is none." }),
});
