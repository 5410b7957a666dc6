import { randomUUID } from "node:crypto";
import { type ModelMessage, type ToolSpec, digestItem } from "@galley/engine";
import {
  type RelativeRows,
  type WrittenRows,
  joinStretches,
  relativeRows,
  stretchesOf,
  writeNumbers,
  writeRows,
} from "./encode-build.ts";
import type { CallNumbers, NewBuild } from "../ports/build-store.ts";
import type { Transaction } from "../database/database.ts";
import { type KnownNumbers, type SentItems, internMessages } from "./intern-messages.ts";
import { findRow, insertRows, runAgain, upsertRow } from "../database/rows.ts";
import { type BuildPlace, holdBuilds } from "./build-place.ts";
import { readDetails, writeDetails } from "./build-details.ts";
import { builtBy, hashesOf, numbersOf, readLists } from "./read-builds.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { BuildRow, BuildSessionRow } from "../database/tables.ts";

/** Each 200th ledger is written in full, so that reading one never goes back further. */
const fullEvery = 200;

/** What a session's last build looked like, for the one that follows it. True as long as the session has this mark. */
export interface LastBuild extends KnownNumbers, WrittenRows {
  readonly mark: string;
  readonly base: number;
  readonly numberOf: Map<string, number>;
  /** Grows with the build that follows, which takes the place of this one. */
  readonly rows: string[];
}

export interface RecordedBuild {
  readonly numbers: CallNumbers;
  /** What to remember once it is committed; nothing when the build was there already. */
  readonly last?: () => LastBuild;
}

/** What is written of a build, as far as it does not depend on the one before. */
export interface PreparedBuild {
  readonly build: NewBuild;
  readonly sent: SentItems;
  /** In terms of the build that was remembered. */
  readonly rows: RelativeRows;
  /** JSON without its last brace: the turn's numbers follow. */
  readonly details: string;
}

/** Does before the transaction what others need not wait for. */
export function prepareBuild(build: NewBuild, before: LastBuild | undefined): PreparedBuild {
  const { key, isNewTurn: _, messages, tools, ledger, hashes, ...details } = build;
  const digest = (content: ModelMessage | ToolSpec): string => digestItem(content, { sha256 });
  const sent = { tools, messages, toolHashes: tools.map(digest), hashes: hashes ?? messages.map(digest) };
  return { build, sent, rows: relativeRows(ledger, before), details: writeDetails(key, details) };
}

/** Writes a build as the numbers of what it sends, and the messages that no build of the project has sent yet. */
export async function recordBuild(
  tx: Transaction,
  place: BuildPlace,
  { build, sent, details, ...prepared }: PreparedBuild,
  { remembered, isNewTurn }: { readonly remembered: LastBuild | undefined; readonly isNewTurn: boolean },
): Promise<RecordedBuild> {
  await holdBuilds(tx, place);
  const calls = isNewTurn ? [] : await callsOf(tx, place, build.turnId);
  const present = calls.find(({ build_key }) => build_key === build.key);
  if (present) return { numbers: numbersOf(present) };
  const head = await headOf(tx, place);
  const before = remembered && remembered.mark === head?.mark ? remembered : await lastBuild(tx, place, head);
  const rows = before === remembered ? prepared.rows : relativeRows(build.ledger);
  const n = (head?.builds ?? 0) + 1;
  const numberOf = before?.numberOf ?? new Map<string, number>();
  const known = before ?? { numberOf, hashes: [], numbers: [] };
  const itemsBefore = head?.items ?? 0;
  const { numbers, added, count, own } = await internMessages(tx, place, sent, known, itemsBefore);
  const base = before && n - before.base < fullEvery ? before.base : n;
  const mark = randomUUID();
  const { turn, callOfTurn } = turnOf(calls, build.turnId, head);
  const row: BuildRow = {
    ...place,
    n,
    build_key: build.key,
    base,
    tools: build.tools.length,
    details: `${details},"turn":${turn},"callOfTurn":${callOfTurn}}`,
    usage: null,
    items: writeNumbers(joinStretches(numbers.tools, numbers.messages)),
    ledger: base === n ? writeRows([], wholeRows(before, rows)) : writeRows(before?.rows ?? [], rows),
    items_before: itemsBefore,
    ...own,
  };
  await insertRows(tx, "builds", [row]);
  await writeHead(tx, place, build, { mark, builds: n, items: count, turns: Math.max(turn, head?.turns ?? 0) }, head);
  const last = (): LastBuild => {
    // Put to the others: copying thousands for two would cost more than writing the two.
    for (const [hash, number] of added) numberOf.set(hash, number);
    const all = before?.rows ?? [];
    all.length = rows.shared;
    for (const row of rows.added) all.push(row);
    return { mark, base, rows: all, ledger: build.ledger, numberOf, hashes: sent.hashes, numbers: numbers.messages };
  };
  return { numbers: { n, turn, callOfTurn }, last };
}

function wholeRows(before: WrittenRows | undefined, { shared, added }: RelativeRows): RelativeRows {
  return { shared: 0, added: [...(before?.rows.slice(0, shared) ?? []), ...added] };
}

/** The builds that a turn has already: its keys are its id, and what begins with its id and "/". */
function callsOf(tx: Transaction, place: BuildPlace, turnId: string) {
  // "0" follows "/".
  const behind = `${turnId}0`;
  return runAgain(tx, "calls of a turn", [place.project_id, place.session_id, turnId, behind], () =>
    builtBy(tx, place)
      .select(["n", "build_key", "details"])
      .where("build_key", ">=", turnId)
      .where("build_key", "<", behind)
      .orderBy("n"),
  );
}

/** The turn's number and the place of its next call: behind those that it has, or the first of a new turn. */
function turnOf(
  rows: readonly Pick<BuildRow, "build_key" | "details">[],
  turnId: string,
  head: BuildSessionRow | undefined,
): Omit<CallNumbers, "n"> {
  const calls = rows.map(readDetails);
  const last = calls.findLast(({ turnId: id, runId }) => (id ?? runId) === turnId);
  if (last) return { turn: last.turn, callOfTurn: last.callOfTurn + 1 };
  return { turn: (head?.turns ?? 0) + 1, callOfTurn: 1 };
}

export function headOf(tx: Transaction, place: BuildPlace): Promise<BuildSessionRow | undefined> {
  return findRow(tx, "build_sessions", place);
}

async function lastBuild(
  tx: Transaction,
  place: BuildPlace,
  head: BuildSessionRow | undefined,
): Promise<LastBuild | undefined> {
  if (!head) return undefined;
  const { base, tools } = await builtBy(tx, place)
    .select(["base", "tools"])
    .where("n", "=", head.builds)
    .executeTakeFirstOrThrow();
  const lists = await readLists(tx, place, { n: head.builds, base });
  const hashOf = await hashesOf(tx, place, lists.numbers);
  // What was removed has no hash: nothing that is sent again is taken for it.
  const sent = lists.numbers.slice(tools);
  const hashes = sent.map((number) => hashOf.get(number) ?? "");
  const numberOf = new Map([...hashOf].map(([number, hash]) => [hash, number]));
  const rows = lists.rows.map((each) => JSON.stringify(each));
  return { mark: head.mark, base, rows, ledger: [], numberOf, hashes, numbers: stretchesOf(sent) };
}

async function writeHead(
  tx: Transaction,
  place: BuildPlace,
  { at, model, stats }: NewBuild,
  counts: Pick<BuildSessionRow, "mark" | "builds" | "items" | "turns">,
  head: BuildSessionRow | undefined,
): Promise<void> {
  // Never earlier than before, so that the order of the list holds when the clock is set back.
  const updated_at = Math.max(at, head?.updated_at ?? 0);
  const now = { ...counts, updated_at, model, input_tokens: stats.inputTokens };
  await upsertRow(tx, "build_sessions", place, now);
}
