import { randomUUID } from "node:crypto";
import { digestItem } from "@galley/engine";
import { relativeRows, writeNumbers, writeRows } from "./encode-build.ts";
import { detailsOf } from "./build-rows.ts";
import type { NewBuild } from "../ports/build-store.ts";
import type { Transaction } from "../database/database.ts";
import { type NumberedItems, type SentItems, joined, numberItems } from "./intern-messages.ts";
import { type BuildPlace, builtBy, readLists } from "./read-builds.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { BuildSessionRow } from "../database/tables.ts";

/** Each 50th build is written in full, so that reading one never goes back further. */
const fullEvery = 50;
/** So many of a session's latest builds keep their requests. */
export const keptRequests = 20;

/** What a session's last build looked like, for the one that follows it. True as long as the session has this mark. */
export interface LastBuild extends NumberedItems {
  readonly mark: string;
  readonly base: number;
  readonly rows: readonly string[];
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
  const contents = [...build.tools, ...build.messages];
  const sent = { contents, hashes: contents.map((content) => digestItem(content, { sha256 })) };
  return { build, sent, rows: relativeRows(build.ledger), details: detailsOf(build) };
}

/** Writes a build as what differs from the one before, and the messages that no build of the project has sent yet. */
export async function recordBuild(
  tx: Transaction,
  place: BuildPlace,
  { build, sent, rows, details }: PreparedBuild,
  remembered: LastBuild | undefined,
): Promise<RecordedBuild> {
  await tx.hold(`builds:${place.projectId}:${place.session}`);
  const present = await builtBy(tx, place).select("n").where("build_key", "=", build.key).executeTakeFirst();
  if (present) return { n: present.n };
  const head = await headOf(tx, place);
  const before = remembered && remembered.mark === head?.mark ? remembered : await lastBuild(tx, place, head);
  const n = (head?.builds ?? 0) + 1;
  const { numbers, added, count } = await numberItems(tx, place, sent, before, head?.items ?? 0);
  const base = before && n - before.base < fullEvery ? before.base : n;
  const mark = randomUUID();
  const from = base === n ? undefined : before;
  await tx.query
    .insertInto("builds")
    .values({
      project_id: place.projectId,
      session_id: place.session,
      n,
      build_key: build.key,
      base,
      tools: build.tools.length,
      details,
      usage: null,
      items: writeNumbers(from?.numbers ?? [], numbers),
      ledger: writeRows(from?.rows ?? [], rows),
    })
    .execute();
  await writeHead(tx, place, build, { mark, builds: n, items: count }, head);
  await dropRequests(tx, place, n - keptRequests);
  const { hashes } = sent;
  return { n, last: () => ({ mark, base, rows, hashes, numbers, numberOf: joined(before?.numberOf, added) }) };
}

export function headOf({ query }: Transaction, place: BuildPlace): Promise<BuildSessionRow | undefined> {
  return query
    .selectFrom("build_sessions")
    .selectAll()
    .where("project_id", "=", place.projectId)
    .where("session_id", "=", place.session)
    .executeTakeFirst();
}

async function lastBuild(
  tx: Transaction,
  place: BuildPlace,
  head: BuildSessionRow | undefined,
): Promise<LastBuild | undefined> {
  if (!head) return undefined;
  const row = await builtBy(tx, place).select(["n", "base"]).where("n", "=", head.builds).executeTakeFirstOrThrow();
  const { numbers, rows } = await readLists(tx, place, row);
  // Which hash has which number is asked for when it is needed.
  return {
    mark: head.mark,
    base: row.base,
    rows: rows.map((each) => JSON.stringify(each)),
    hashes: [],
    numbers,
    numberOf: new Map(),
  };
}

async function writeHead(
  tx: Transaction,
  { projectId, session }: BuildPlace,
  { at, model, stats }: NewBuild,
  counts: Pick<BuildSessionRow, "mark" | "builds" | "items">,
  head: BuildSessionRow | undefined,
): Promise<void> {
  // Never earlier than before, so that the order of the list holds when the clock is set back.
  const updated_at = Math.max(at, head?.updated_at ?? 0);
  const now = { ...counts, updated_at, model, input_tokens: stats.inputTokens };
  await tx.query
    .insertInto("build_sessions")
    .values({ project_id: projectId, session_id: session, ...now })
    .onConflict((conflict) => conflict.columns(["project_id", "session_id"]).doUpdateSet(now))
    .execute();
}

async function dropRequests({ query }: Transaction, place: BuildPlace, upTo: number): Promise<void> {
  if (upTo < 1) return;
  await query
    .deleteFrom("build_requests")
    .where("project_id", "=", place.projectId)
    .where("session_id", "=", place.session)
    .where("n", "<=", upTo)
    .execute();
}
