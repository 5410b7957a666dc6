import { GalleyError } from "@galley/engine";
import { isProven, readDaemonKey } from "./daemon-key.ts";
import { type DaemonNote, isNewerNote, noteFile, readNote } from "./data-owner.ts";

/** How long a daemon may take to say that it is there, in ms. */
const answerLimit = 5000;

/**
 * The daemon of a data folder, when one is there and shows that it is the one that the user has started: with its key, or
 * with the token where the caller has that from the user. Before that it is sent nothing.
 */
export async function findDaemon(dataFolder: string, token?: string): Promise<DaemonNote | undefined> {
  const note = readNote(dataFolder);
  // The port of one that died may be another program's by now, which is not even asked.
  if (!note || !isAlive(note.pid)) return undefined;
  const known = token === undefined ? readDaemonKey(dataFolder) : { token };
  if (known === undefined) return undefined;
  if ("problem" in known) throw unproven(dataFolder, known.problem);
  try {
    const isOurs = await isProven(note.url, known, AbortSignal.timeout(answerLimit));
    return isOurs ? { ...note, ...("token" in known ? known : {}) } : undefined;
  } catch {
    return undefined;
  }
}

function unproven(dataFolder: string, problem: string): GalleyError {
  return new GalleyError("DaemonUnproven", `Whether the daemon of ${dataFolder} is yours cannot be told. ${problem}`, {
    path: noteFile(dataFolder),
    hint: `If you have started it, name its token: --token, or GALLEY_TOKEN in the environment, which other users cannot see. It is in ${noteFile(dataFolder)}.`,
  });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The same, where there must be one. */
export async function daemonOf(dataFolder: string, token?: string): Promise<DaemonNote> {
  const note = await findDaemon(dataFolder, token);
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
