import { randomUUID } from "node:crypto";
import { type ModelMessage, type ToolSpec, digestItem } from "@galley/engine";
import { relativeRows, writeNumbers, writeRows } from "./build-lists.ts";
import { detailsOf } from "./build-rows.ts";
import type { NewBuild } from "./build-store.ts";
import type { Transaction } from "./database.ts";
import { messageBody } from "./message-body.ts";
import { type BuildPlace, builtBy, readLists } from "./read-builds.ts";
import type { BuildItemRow, BuildSessionRow } from "./tables.ts";

/** Each 50th build is written in full, so that reading one never goes back further. */
const fullEvery = 50;
/** So many of a session's latest builds keep their requests. */
export const keptRequests = 20;

/** What a session's last build looked like, for the one that follows it. True as long as the session has this mark. */
export interface LastBuild {
  readonly mark: string;
  readonly base: number;
  readonly numbers: readonly number[];
  readonly rows: readonly string[];
  readonly numberOf: ReadonlyMap<string, number>;
}

export interface RecordedBuild {
  readonly n: number;
  /** What to remember; nothing when the build was there already. */
  readonly last: LastBuild | undefined;
}

/** What a build sends, with its hash: the tools first, because they change least. */
interface Sent {
  readonly hash: string;
  readonly content: ModelMessage | ToolSpec;
}

/** Writes a build as what differs from the one before, and the messages that no build of the project has sent yet. */
export async function recordBuild(
  tx: Transaction,
  place: BuildPlace,
  build: NewBuild,
  remembered: LastBuild | undefined,
): Promise<RecordedBuild> {
  await tx.hold(`builds:${place.projectId}:${place.session}`);
  const present = await builtBy(tx, place).select("n").where("build_key", "=", build.key).executeTakeFirst();
  if (present) return { n: present.n, last: undefined };
  const head = await headOf(tx, place);
  const before = remembered && remembered.mark === head?.mark ? remembered : await lastBuild(tx, place, head);
  const n = (head?.builds ?? 0) + 1;
  const sent = [...build.tools, ...build.messages].map((content): Sent => ({ hash: digestItem(content), content }));
  const { numberOf, count } = await numberItems(tx, place, sent, before?.numberOf, head?.items ?? 0);
  const base = before && n - before.base < fullEvery ? before.base : n;
  const last: LastBuild = {
    mark: randomUUID(),
    base,
    numbers: sent.map(({ hash }) => numberOf.get(hash) as number),
    rows: relativeRows(build.ledger),
    numberOf,
  };
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
      details: detailsOf(build),
      usage: null,
      items: writeNumbers(from?.numbers ?? [], last.numbers),
      ledger: writeRows(from?.rows ?? [], last.rows),
    })
    .execute();
  await writeHead(tx, place, build, { mark: last.mark, builds: n, items: count }, head);
  await dropRequests(tx, place, n - keptRequests);
  return { n, last };
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
    numbers,
    rows: rows.map((each) => JSON.stringify(each)),
    numberOf: new Map(),
  };
}

/** Numbers what is sent among the session's items; what the session has not sent before gets the next numbers. */
async function numberItems(
  tx: Transaction,
  place: BuildPlace,
  sent: readonly Sent[],
  known: ReadonlyMap<string, number> | undefined,
  count: number,
): Promise<{ readonly numberOf: ReadonlyMap<string, number>; readonly count: number }> {
  const numberOf = new Map<string, number>();
  const unknown = new Map<string, Sent>();
  for (const each of sent) {
    const number = known?.get(each.hash);
    if (number === undefined) unknown.set(each.hash, each);
    else numberOf.set(each.hash, number);
  }
  if (unknown.size === 0) return { numberOf, count };
  for (const { hash, number } of await numbersOf(tx, place, [...unknown.keys()])) {
    if (hash === null) continue;
    numberOf.set(hash, number);
    unknown.delete(hash);
  }
  const fresh = [...unknown.values()];
  for (const [index, { hash }] of fresh.entries()) numberOf.set(hash, count + index + 1);
  await writeItems(tx, place, fresh, count);
  return { numberOf, count: count + fresh.length };
}

function numbersOf(tx: Transaction, { projectId, session }: BuildPlace, hashes: readonly string[]) {
  return tx.query
    .selectFrom("build_items")
    .select(["hash", "number"])
    .where("project_id", "=", projectId)
    .where("session_id", "=", session)
    .where("hash", "in", tx.listed(hashes))
    .execute();
}

/** A statement takes so many rows; SQLite has a limit for parameters. */
const rowsAtOnce = 1000;

async function writeItems(
  tx: Transaction,
  { projectId, session }: BuildPlace,
  fresh: readonly Sent[],
  count: number,
): Promise<void> {
  for (let at = 0; at < fresh.length; at += rowsAtOnce) {
    const page = fresh.slice(at, at + rowsAtOnce);
    // In one order, so that two that write the same ones do not wait for each other. The update changes nothing, but holds
    // a row that is there already against one who would remove it as used by nobody.
    await tx.query
      .insertInto("build_bodies")
      .values(
        page
          .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
          .map(({ hash, content }) => ({ project_id: projectId, hash, body: messageBody(content) })),
      )
      .onConflict((conflict) =>
        conflict.columns(["project_id", "hash"]).doUpdateSet((row) => ({ hash: row.ref("excluded.hash") })),
      )
      .execute();
    const rows = page.map(({ hash }, index): BuildItemRow => ({
      project_id: projectId,
      session_id: session,
      number: count + at + index + 1,
      hash,
      shell: null,
    }));
    await tx.query.insertInto("build_items").values(rows).execute();
  }
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
