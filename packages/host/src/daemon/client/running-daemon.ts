import { GalleyError } from "@galley/engine";
import * as z from "zod";
import type { DaemonNote } from "./data-owner.ts";
import { isNewerNote, noteFile, readNote } from "./data-owner.ts";

/** How long a daemon may take to say that it is there, in ms. */
const answerLimit = 5000;

/** The daemon of a data folder, when one is there and answers. */
export async function findDaemon(dataFolder: string): Promise<DaemonNote | undefined> {
  const note = readNote(dataFolder);
  // The port of one that died may be another program's by now, which is not even asked.
  if (!note || !isAlive(note.pid)) return undefined;
  try {
    const signal = AbortSignal.timeout(answerLimit);
    // The token decides, where another process has both its number and its port.
    const response = await fetch(`${note.url}/api/info`, { headers: bearer(note), signal });
    const { pid } = z.object({ pid: z.number() }).parse(await response.json());
    return pid === note.pid ? note : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

export async function daemonOf(dataFolder: string): Promise<DaemonNote> {
  const note = await findDaemon(dataFolder);
  if (note) return note;
  if (isNewerNote(dataFolder)) {
    throw new GalleyError("DataNewer", `A daemon of a newer version uses ${dataFolder}, or was the last to.`, {
      path: noteFile(dataFolder),
      hint: "Use the `galley` that started it. If it is surely gone, delete the file.",
    });
  }
  throw new GalleyError("DaemonNotRunning", `No daemon works on ${dataFolder}.`, {
    path: dataFolder,
    hint: "Start one with `galley up`; --data names another folder.",
  });
}

export function bearer({ token }: Pick<DaemonNote, "token">): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}
