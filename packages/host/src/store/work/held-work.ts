import { GalleyError } from "@galley/engine";
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { impossibleLease, maxLease } from "../database/clock-limits.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { searchedId } from "../database/ids.ts";
import { type Change, type Key, findRow, updateRow } from "../database/rows.ts";
import type { Rows, Tables } from "../database/tables.ts";
import type { RunHold } from "../ports/run-store.ts";

// Runs and tasks are work that one worker at a time holds: by an attempt, which rises each time that somebody takes the work,
// and for as long as a lease lasts. Every write names its attempt, so that a worker that was thought dead writes nothing.

type WorkTable = "runs" | "tasks";

const ids = { runs: "run_id", tasks: "task_id" } as const;
const names = { runs: "run", tasks: "task" } as const;
const lostCodes = { runs: "RunLost", tasks: "TaskLost" } as const;

/** The right to write for work: that of a run is named as that of any. */
export type WorkHold = RunHold;
export type WorkId = Omit<WorkHold, "attempt">;

function keyOf<Name extends WorkTable>(table: Name, { projectId, id }: WorkId): Key<Name> {
  return { project_id: searchedId(projectId), [ids[table]]: searchedId(id) } as unknown as Key<Name>;
}

export function findWork<Name extends WorkTable>(
  reader: Reader,
  table: Name,
  work: WorkId,
): Promise<Rows[Name] | undefined> {
  return findRow(reader, table, keyOf(table, work));
}

/** Writes the row of work that is still in the attempt and status that the caller has seen; gives nothing when it is not. */
export function moveWork<Name extends WorkTable>(
  tx: Transaction,
  table: Name,
  { attempt, ...work }: WorkHold,
  change: Change<Name>,
  seen: Key<Name> = { status: "running" } as Key<Name>,
): Promise<Rows[Name] | undefined> {
  return updateRow(tx, table, { ...keyOf(table, work), attempt, ...seen }, change);
}

/** What a worker that takes work writes into its row. */
export async function taken(
  tx: Transaction,
  row: { readonly attempt: number },
  { worker, ...lease }: Lease & { readonly worker: string },
) {
  return { status: "running", attempt: row.attempt + 1, worker, lease_until: await leaseEnd(tx, lease) } as const;
}

/** What is written into the row of work that its worker lets go of. */
export const letGo = { worker: null, lease_until: null } as const;

export interface Lease {
  readonly now: number;
  readonly leaseMs: number;
}

export async function leaseEnd(tx: Transaction, { now, leaseMs }: Lease): Promise<number> {
  return (await tx.leaseTime(now)) + Math.min(leaseMs, maxLease);
}

/** Whether a lease has ended, or was given by a clock that was wrong; `now` is a time of leases. */
export function isExpired({ lease_until: end }: { readonly lease_until: number | null }, now: number): boolean {
  return end !== null && (end <= now || end > now + impossibleLease);
}

/** The same for a query: running work whose worker has fallen silent. */
export function isAbandoned<Name extends WorkTable>(now: number) {
  return (row: ExpressionBuilder<Tables, Name>): Expression<SqlBool> => {
    const each = row as unknown as ExpressionBuilder<Tables, "runs">;
    const hasEnded = each.or([each("lease_until", "<=", now), each("lease_until", ">", now + impossibleLease)]);
    return each.and([each("status", "=", "running"), hasEnded]);
  };
}

/** For a write of an attempt that holds the work no more. */
export function lost(
  table: WorkTable,
  { id, attempt }: WorkHold,
  row: Pick<Rows[WorkTable], "status" | "attempt" | "worker"> | undefined,
): GalleyError {
  const why = !row
    ? "does not exist"
    : row.status === "running"
      ? `is at attempt ${row.attempt}, held by ${JSON.stringify(row.worker)}`
      : `is ${row.status}`;
  const message = `Attempt ${attempt} of the ${names[table]} ${JSON.stringify(id)} is over: it ${why}.`;
  return new GalleyError(lostCodes[table], message, {
    hint: "Stop working on it; nothing of this attempt was written.",
  });
}
