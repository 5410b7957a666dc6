import { GalleyError, type SessionEntry, loadTokenizer, tokenAccount } from "@galley/engine";
import { type LogRetention, logRetention, lostNamesSteps } from "@galley/engine/proof";
import { chatKeyOf, parsePlaceId, sessionIdOf } from "../../api/place-id.ts";
import type { RouteReply } from "../../api/index.ts";
import type { Galley } from "../../galley/galley.ts";
import { runInSlices, sliceEnd } from "../../limits/in-slices.ts";
import { callsOf } from "../../store/logged-builds.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import type { FolderContext } from "./handler-context.ts";

type Loss = RouteReply<"sessions.lost">["compactions"][number];

/** What was lost and kept of a session or chat, and where to look at it. */
export function lossHandlers({
  galley,
}: FolderContext): RouteHandlers<"sessions.entryCall" | "sessions.lost" | "sessions.retention"> {
  return {
    "sessions.entryCall": async ({ params: { id, entry } }) => ({ n: await callOfEntry(galley, id, entry) }),
    "sessions.lost": async ({ params: { id } }) => ({ compactions: await lossesOf(galley, id) }),
    "sessions.retention": async ({ params: { id }, query: { budget = 32_000 } }, { signal }) => ({
      rows: await retentionOf(galley, id, budget, signal),
    }),
  };
}

/** What the compactions of a session or chat lost [R4], with the calls in which Inspect shows it. */
async function lossesOf(galley: Galley, id: string): Promise<readonly Loss[]> {
  const entries = await entriesOf(galley, id);
  const callOf = await callFinder(galley, id, entries);
  return (await runInSlices(lostNamesSteps(entries))).map((loss) => ({
    ...loss,
    lost: loss.lost.map((name) => ({
      ...name,
      stoodInCall: callOf(name.stoodIn),
      neededByCall: callOf(name.neededBy),
    })),
  }));
}

/** The call in which an entry of a session can be looked at [L4a]. */
async function callOfEntry(galley: Galley, id: string, entryId: string): Promise<number | null> {
  const entries = await entriesOf(galley, id);
  const callOf = await callFinder(galley, id, entries);
  // Its own reply is not in the input of a call; that of the next one has it.
  const at = entries.findIndex((entry) => entry.id === entryId);
  const next = at < 0 ? undefined : entries[at + 1];
  return (next && callOf(next.id)) ?? callOf(entryId);
}

/** Finds the call whose reply an entry is, or the first that has read it. */
async function callFinder(
  { store, project }: Galley,
  id: string,
  entries: readonly SessionEntry[],
): Promise<(entryId: string) => number | null> {
  const at = new Map(entries.map((entry, index) => [entry.id, index]));
  const all = await callsOf(store, { projectId: project, sessionId: sessionIdOf(parsePlaceId(id)) });
  // Calls that a log tells of are named after their replies; those that were recorded have a time.
  const indexes = all.flatMap(({ n, key: reply }) => {
    const index = at.get(reply);
    return index === undefined ? [] : [{ n, index }];
  });
  return (entryId) => {
    const index = at.get(entryId) ?? Infinity;
    if (indexes.length > 0) return indexes.find((call) => call.index >= index)?.n ?? null;
    const time = new Date(entries[index]?.ts ?? NaN).getTime();
    return all.find((call) => call.at >= time)?.n ?? null;
  };
}

/**
 * How much of what the replies of a session or chat repeat was in the input of their calls [R5]. A replay takes long: it goes in
 * slices, and ends when nobody waits for it.
 */
async function retentionOf(
  galley: Galley,
  id: string,
  budget: number,
  signal: AbortSignal,
): Promise<readonly LogRetention[]> {
  const account = tokenAccount(await loadTokenizer("o200k_base"));
  const sliced = sliceEnd();
  const pause = (): Promise<void> | undefined => {
    if (signal.aborted) throw new GalleyError("RunAborted", "The measurement was stopped.");
    return sliced();
  };
  return logRetention(await entriesOf(galley, id), { account, budgets: [budget], pause });
}

async function entriesOf({ chats, sessions }: Galley, id: string): Promise<readonly SessionEntry[]> {
  const key = chatKeyOf(parsePlaceId(id));
  if (key === undefined) return sessions.entries(id);
  const chat = await chats.open(key);
  return (await chat.whole()).entries;
}
