import { randomUUID } from "node:crypto";
import { digestItem } from "@galley/engine";
import { relativeRows, writeNumbers, writeRows } from "./encode-build.ts";
import type { NewBuild } from "../ports/build-store.ts";
import type { Transaction } from "../database/database.ts";
import { type SentItems, internMessages } from "./intern-messages.ts";
import { deleteOf, findRow, upsertRow } from "../database/rows.ts";
import { type BuildDetails, type BuildPlace, builtBy, readLists, sessionKey } from "./read-builds.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { BuildSessionRow } from "../database/tables.ts";

/** Each 50th ledger is written in full, so that reading one never goes back further. */
const fullEvery = 50;
/** How many of a session's latest builds keep their requests. */
export const keptRequests = 20;

/** What a session's last build looked like, for the one that follows it. True as long as the session has this mark. */
export interface LastBuild {
  readonly mark: string;
  readonly base: number;
  readonly rows: readonly string[];
  /** The numbers of the session's items by their hashes, as far as they were asked for. */
  readonly numberOf: Map<string, number>;
}

export interface RecordedBuild {
  readonly n: number;
  /** What to remember once it is committed; nothing when the build was there already. */
  readonly last?: () => LastBuild;
}

/** What is written of a build, as far as it does not depend on the one before. */
export interface PreparedBuild {
  readonly build: NewBuild;
  readonly sent: SentItems;
  readonly rows: readonly string[];
  readonly details: string;
}

/** Does before the transaction what others need not wait for. */
export function prepareBuild(build: NewBuild): PreparedBuild {
  // The tools first, because they change least.
  const { key: _key, messages, tools, ledger, ...details } = build;
  const contents = [...tools, ...messages];
  const sent = { contents, hashes: contents.map((content) => digestItem(content, { sha256 })) };
  return { build, sent, rows: relativeRows(ledger), details: JSON.stringify(details satisfies BuildDetails) };
}

/** Writes a build as the numbers of what it sends, and the messages that no build of the project has sent yet. */
export async function recordBuild(
  tx: Transaction,
  place: BuildPlace,
  { build, sent, rows, details }: PreparedBuild,
  remembered: LastBuild | undefined,
): Promise<RecordedBuild> {
  await tx.hold(`builds:${place.projectId}:${place.session}`);
  const present = await findRow(tx, "builds", { ...sessionKey(place), build_key: build.key });
  if (present) return { n: present.n };
  const head = await headOf(tx, place);
  const before = remembered && remembered.mark === head?.mark ? remembered : await lastBuild(tx, place, head);
  const n = (head?.builds ?? 0) + 1;
  const numberOf = before?.numberOf ?? new Map<string, number>();
  const { numbers, added, count } = await internMessages(tx, place, sent, numberOf, head?.items ?? 0);
  const base = before && n - before.base < fullEvery ? before.base : n;
  const mark = randomUUID();
  await tx.query
    .insertInto("builds")
    .values({
      ...sessionKey(place),
      n,
      build_key: build.key,
      base,
      tools: build.tools.length,
      details,
      usage: null,
      items: writeNumbers(numbers),
      ledger: writeRows(base === n ? [] : (before?.rows ?? []), rows),
    })
    .execute();
  await writeHead(tx, place, build, { mark, builds: n, items: count }, head);
  await dropRequests(tx, place, n - keptRequests);
  const last = (): LastBuild => {
    // Put to the others: copying thousands for two would cost more than writing the two.
    for (const [hash, number] of added) numberOf.set(hash, number);
    return { mark, base, rows, numberOf };
  };
  return { n, last };
}

export function headOf(tx: Transaction, place: BuildPlace): Promise<BuildSessionRow | undefined> {
  return findRow(tx, "build_sessions", sessionKey(place));
}

async function lastBuild(
  tx: Transaction,
  place: BuildPlace,
  head: BuildSessionRow | undefined,
): Promise<LastBuild | undefined> {
  if (!head) return undefined;
  const { base } = await builtBy(tx, place).select("base").where("n", "=", head.builds).executeTakeFirstOrThrow();
  const { rows } = await readLists(tx, place, { n: head.builds, base });
  // Which hash has which number is asked for when it is needed.
  return { mark: head.mark, base, rows: rows.map((each) => JSON.stringify(each)), numberOf: new Map() };
}

async function writeHead(
  tx: Transaction,
  place: BuildPlace,
  { at, model, stats }: NewBuild,
  counts: Pick<BuildSessionRow, "mark" | "builds" | "items">,
  head: BuildSessionRow | undefined,
): Promise<void> {
  // Never earlier than before, so that the order of the list holds when the clock is set back.
  const updated_at = Math.max(at, head?.updated_at ?? 0);
  const now = { ...counts, updated_at, model, input_tokens: stats.inputTokens };
  await upsertRow(tx, "build_sessions", sessionKey(place), now);
}

async function dropRequests(tx: Transaction, place: BuildPlace, upTo: number): Promise<void> {
  if (upTo >= 1) await deleteOf(tx, "build_requests", sessionKey(place)).where("n", "<=", upTo).execute();
}
