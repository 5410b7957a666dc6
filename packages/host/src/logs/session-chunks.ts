/** A run of a session's entries, as the index keeps it: a document is found or left as a whole. */
export interface Chunk {
  /** Its place in the session, from 0. */
  readonly n: number;
  /** The entry before it; `null` for the first. */
  readonly from: string | null;
  readonly count: number;
  readonly last: string;
  /** When the session was written, as far as it was taken in; milliseconds since 1970. */
  readonly at: number;
}

export function chunkIdOf(project: string, session: string, n: number): string {
  return JSON.stringify([project, session, n]);
}

/** The chunks of each session of a project, in order. What cannot be read is as if it were not there, and is taken in again. */
export function chunksIn(stamps: ReadonlyMap<string, string>, project: string): ReadonlyMap<string, readonly Chunk[]> {
  const found = new Map<string, Chunk[]>();
  for (const [contextId, stamp] of stamps) {
    const [owner, session] = (parsed(contextId) ?? []) as readonly string[];
    const chunk = parsed(stamp) as Chunk | undefined;
    if (owner !== project || session === undefined || chunk === undefined) continue;
    const own = found.get(session) ?? [];
    found.set(session, own);
    own.push(chunk);
  }
  for (const chunks of found.values()) chunks.sort((a, b) => a.n - b.n);
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
