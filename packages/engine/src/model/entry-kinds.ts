/** What is known of one kind of entry (in sessions) or typed line (in chats) [V5]. */
export interface EntryKind {
  /** Where it stands: in the log of a session, in a chat's active context, or in another file of a chat. */
  readonly standsIn: readonly ("session" | "active" | "transcript" | "redactions")[];
  /** What writes it: the commit of a turn, a build, a switch of contexts, a person or the program that uses Galley. */
  readonly writtenBy: "commit" | "build" | "switch" | "person" | "program";
  /** What an archived context does with it: it goes in and comes back, it is left out, or the switch writes a new one. */
  readonly archive: "kept" | "left out" | "written again" | "no archive";
  /** What a program does with it that knows messages only. */
  readonly plainReader: "reads" | "skips";
  /** What a redaction does to it: see the table in docs/spec.md. */
  readonly redaction: "emptied" | "with its message" | "older ones ignored" | "words removed" | "stays";
}

/**
 * The kinds that Galley writes and reads, each once [V5]. An entry or a line of another kind does not compile; unknown kinds
 * in files are kept and skipped [M2]. The table in docs/spec.md says the same, and a test compares the two.
 */
export const entryKinds = {
  message: kind(["session", "active", "transcript"], "commit", "kept", "reads", "emptied"),
  result: kind(["session", "active", "transcript"], "commit", "kept", "skips", "emptied"),
  aside: kind(["active", "transcript"], "program", "kept", "skips", "emptied"),
  compaction: kind(["session", "active"], "build", "left out", "skips", "older ones ignored"),
  injection: kind(["session", "active"], "build", "left out", "skips", "older ones ignored"),
  "runtime-init": kind(["session", "active"], "build", "kept", "skips", "stays"),
  activation: kind(["session", "active"], "build", "left out", "skips", "stays"),
  redact: kind(["session", "redactions"], "person", "left out", "skips", "stays"),
  redacted: kind(["active", "transcript"], "person", "kept", "skips", "stays"),
  pin: kind(["session", "active"], "person", "kept", "skips", "with its message"),
  custom: kind(["session"], "program", "no archive", "skips", "stays"),
  recalled: kind(["active"], "switch", "written again", "skips", "words removed"),
  transcript: kind(["active"], "commit", "left out", "skips", "words removed"),
  steps: kind(["active"], "commit", "kept", "skips", "with its message"),
  alternate: kind(["active"], "commit", "kept", "skips", "with its message"),
  stopped: kind(["session", "active"], "commit", "kept", "skips", "with its message"),
} as const satisfies Readonly<Record<string, EntryKind>>;

/** The name of a kind in the register. */
export type EntryKindName = keyof typeof entryKinds;

type StandingIn<Place extends EntryKind["standsIn"][number]> = {
  [Name in EntryKindName]: Place extends (typeof entryKinds)[Name]["standsIn"][number] ? Name : never;
}[EntryKindName];

/** A kind that a session's log may hold. */
export type SessionKind = StandingIn<"session">;

/** A kind that a file of a chat may hold. */
export type ChatKind = StandingIn<"active" | "transcript" | "redactions">;

function kind<
  const Places extends EntryKind["standsIn"],
  const Writer extends EntryKind["writtenBy"],
  const Archive extends EntryKind["archive"],
>(
  standsIn: Places,
  writtenBy: Writer,
  archive: Archive,
  plainReader: EntryKind["plainReader"],
  redaction: EntryKind["redaction"],
) {
  return { standsIn, writtenBy, archive, plainReader, redaction } as const;
}
