import { hash } from "node:crypto";
import { GalleyError, type InputMessage, type JsonValue, type ModelMessage, type SessionEntry } from "@galley/engine";
import type { CustomEntry } from "@galley/engine/messages";
import type { PlaceRequest } from "./turn-place.ts";

/** A decision that waits for the commit, and how many messages of the turn stand before it. */
interface HeldDecision {
  readonly at: number;
  readonly entry: SessionEntry;
}

/** What a turn says in a session, and what its builds decided on the way. */
export interface OwnMessages {
  /** Where a branch begins. */
  readonly marker: CustomEntry | undefined;
  readonly steps: ModelMessage[];
  /** The ids of the log, for a run that another process began. */
  readonly written: ReadonlySet<string>;
  /** Those that no build has taken in yet. */
  pending(): readonly InputMessage[];
  /** Those that builds have taken in, with the decisions between them. */
  taken(): readonly SessionEntry[];
  /** A build has taken in all that there is, as these entries. */
  take(entries: readonly SessionEntry[]): void;
  /** Keeps decisions for the commit. */
  hold(decisions: readonly SessionEntry[]): void;
  all(): readonly SessionEntry[];
  /** The question and the steps without decisions, also where the question was said before. */
  alone(): readonly SessionEntry[];
  state(): JsonValue;
}

/** The id of an entry that a turn writes to a session: the same whenever it is written. */
export function entryIdOf(turnId: string, what: string | number): string {
  return `e_${hash("sha256", `${turnId}/${what}`, "hex").slice(0, 24)}`;
}

export function ownMessages(opened: readonly SessionEntry[], request: PlaceRequest): OwnMessages {
  const { runId, input, inputTs, branch, resumed } = request;
  const idOf = (what: string | number): string => entryIdOf(runId, what);
  const steps: ModelMessage[] = [...(resumed?.steps ?? [])];
  // Runs of earlier versions wrote their messages as they came; what is there is not written again.
  const written = new Set(resumed ? opened.map(({ id }) => id) : []);
  const isNew = ({ id = "" }: InputMessage): boolean => !written.has(id);
  const stepMessages = (): InputMessage[] =>
    steps.map((message, index): InputMessage => ({ ...message, id: idOf(index + 1), ts: inputTs }));
  const question: InputMessage = { ...input, id: idOf(0), ts: inputTs };
  const first = branch?.kind === "regenerate" ? [] : [question];
  const said = (): InputMessage[] => [...first, ...stepMessages()].filter(isNew);
  // What a build has read is written as the very same entry: what is known of it stays known [T11].
  const built = new Map<string, SessionEntry>();
  const entriesOf = (messages: readonly InputMessage[]): SessionEntry[] =>
    messages.map(({ id = "", ts = 0, ...message }) => built.get(id) ?? { id, ts, type: "message", message });
  const held = heldIn(resumed?.state);
  let taken = held.at(-1)?.at ?? 0;
  return {
    marker: branch && branchMarker(opened, branch, { id: idOf("branch"), ts: inputTs }),
    steps,
    written,
    pending: () => said().slice(taken),
    taken: () => interleaved(entriesOf(said().slice(0, taken)), held),
    take(entries) {
      for (const entry of entries) if (entry.type === "message") built.set(entry.id, entry);
      taken = said().length;
    },
    hold: (decisions) => void held.push(...decisions.map((entry) => ({ at: taken, entry }))),
    all: () => interleaved(entriesOf(said()), held),
    alone: () => entriesOf([question, ...stepMessages()].filter(isNew)),
    state: () => (held.length === 0 ? null : (JSON.parse(JSON.stringify({ held })) as JsonValue)),
  };
}

function interleaved(messages: readonly SessionEntry[], held: readonly HeldDecision[]): SessionEntry[] {
  const entries: SessionEntry[] = [];
  for (let index = 0; index <= messages.length; index += 1) {
    entries.push(...held.filter(({ at }) => at === index).map(({ entry }) => entry));
    const message = messages[index];
    if (message) entries.push(message);
  }
  return entries;
}

function heldIn(state: JsonValue | undefined): HeldDecision[] {
  const held = (state as { readonly held?: readonly HeldDecision[] } | null | undefined)?.held;
  return [...(held ?? [])];
}

/** The entry with which a branch begins: behind the message that is regenerated, or behind what stood before an edited one. */
function branchMarker(
  log: readonly SessionEntry[],
  { from, kind }: { readonly from: string; readonly kind: "regenerate" | "edit" },
  base: Pick<CustomEntry, "id" | "ts">,
): CustomEntry {
  const at = log.findIndex((entry) => entry.id === from);
  const entry = log[at];
  if (!entry) {
    const hint = "The entries of the session have their ids beside them.";
    throw new GalleyError("NotFound", `The session has no entry ${JSON.stringify(from)}.`, { path: "messageId", hint });
  }
  const before = entry.parentId === undefined ? (log[at - 1]?.id ?? null) : entry.parentId;
  return { ...base, type: "custom", kind: "branch", parentId: kind === "regenerate" ? from : before };
}
