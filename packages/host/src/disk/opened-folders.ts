import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { GalleyError } from "@galley/engine";
import { storageError } from "./storage-error.ts";

/** A file or folder, and how many parts of this process rely on finding it in its place. */
interface Found {
  readonly dev: bigint;
  readonly ino: bigint;
  users: number;
}

/** The data folders that this process has open: what must still be in its place when a write is acknowledged, by path. */
const opened = new Map<string, Map<string, Found>>();

export interface OpenedFolder {
  /** Relies on a file of the folder as well: its lock, its database. */
  add(file: string): void;
  /** Throws `StorageFailed` when something was moved, deleted or replaced. */
  check(): void;
  /** Relies on it no longer. */
  forget(): undefined;
}

/**
 * Remembers which folder is at a path now. A folder can be moved or deleted, and another one put in its place, under a process
 * that works on it: what is written then is lost, or goes to the wrong folder, so that `checkOpened` refuses to acknowledge it.
 */
export function rememberFolder(dataFolder: string): OpenedFolder {
  const folder = resolve(dataFolder);
  const places = opened.get(folder) ?? new Map<string, Found>();
  const own: string[] = [];
  const add = (path: string): void => {
    const known = places.get(path);
    const found = known ?? lookAt(path);
    if (!found) throw movedError(folder, path);
    if (known) checkPlace(folder, path, known);
    places.set(path, { ...found, users: (known?.users ?? 0) + 1 });
    own.push(path);
  };
  add(folder);
  opened.set(folder, places);
  return {
    add: (file) => add(resolve(file)),
    check: () => checkOpened(folder),
    forget() {
      for (const path of own.splice(0)) {
        const found = places.get(path);
        if (found && found.users > 1) places.set(path, { ...found, users: found.users - 1 });
        else places.delete(path);
      }
      if (places.size === 0 && opened.get(folder) === places) opened.delete(folder);
    },
  };
}

/** How often a folder is looked at that nobody writes to, in ms. */
const lookMs = 1000;

/** Says when a folder is not in its place any more, by the error for what is written there then. */
export function watchFolder(folder: OpenedFolder): { readonly lost: Promise<unknown>; end(): void } {
  const lost = Promise.withResolvers<unknown>();
  const timer = setInterval(() => {
    try {
      folder.check();
    } catch (error) {
      clearInterval(timer);
      lost.resolve(error);
    }
  }, lookMs).unref();
  return { lost: lost.promise, end: () => clearInterval(timer) };
}

/** Throws `StorageFailed` when the open data folder that a path belongs to, or what it relies on, is not in its place any more. */
export function checkOpened(path: string): void {
  for (const [folder, places] of opened) {
    if (path !== folder && !path.startsWith(folder + sep)) continue;
    for (const [place, found] of places) checkPlace(folder, place, found);
  }
}

function checkPlace(folder: string, place: string, { dev, ino }: Found): void {
  const found = lookAt(place);
  if (found?.ino !== ino || found.dev !== dev) throw movedError(folder, place);
}

function lookAt(path: string): Found | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found && { dev: found.dev, ino: found.ino, users: 0 };
  } catch (cause) {
    throw storageError(cause, path, "read");
  }
}

function movedError(folder: string, path: string): GalleyError {
  const what = path === folder ? "The data folder" : path;
  return new GalleyError(
    "StorageFailed",
    `${what} was moved, deleted or replaced while ${folder} was open; nothing is written there any more.`,
    {
      path,
      hint: "End this process. Put the folder back in its place, or name its new place with --data, and start again.",
    },
  );
}
