import { checkIds, isId } from "../database/check-ids.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import {
  type ClaimRuns,
  abortRun,
  claimRuns,
  findRun,
  finishRun,
  isAbandoned,
  releaseRun,
  renewRun,
  saveRun,
  startRun,
  wholeRun,
} from "./run-transitions.ts";
import { chatColumn, fromRunRow } from "./run-rows.ts";
import type { RunFilter, RunItem, RunStore } from "../ports/run-store.ts";
import { checkSession, sessionColumn } from "../database/encode-session-id.ts";

const claimedAtOnce = 10;

/** Runs in a database. */
export function sqlRunStore(database: Database): RunStore {
  return {
    async start(run) {
      checkIds("project", [run.projectId]);
      checkIds("run", [run.id]);
      checkIds("worker", [run.worker]);
      checkSession(run.session);
      return database.transaction((tx) => startRun(tx, run));
    },
    save: (hold, progress) => database.transaction((tx) => saveRun(tx, hold, progress)),
    renew: (hold, leaseUntil) => database.transaction((tx) => renewRun(tx, hold, leaseUntil)),
    finish: (hold, outcome, now) => database.transaction((tx) => finishRun(tx, hold, outcome, now)),
    release: (hold) => database.transaction((tx) => releaseRun(tx, hold)),
    async abort(run) {
      if (!isId(run.projectId) || !isId(run.id)) return false;
      return database.transaction((tx) => abortRun(tx, run));
    },
    async claimAbandoned(projectId, worker, { now, leaseMs, limit = claimedAtOnce, isAlone = false, except = [] }) {
      checkIds("worker", [worker]);
      if (!isId(projectId)) return [];
      // Whoever asks each second shall not take the lock of all writers for nothing.
      const claim = { projectId, worker, now, leaseMs, limit, isAlone, except };
      if (!(await database.read((reader) => hasAbandoned(reader, claim)))) return [];
      return database.transaction((tx) => claimRuns(tx, claim));
    },
    async get(projectId, id) {
      if (!isId(projectId) || !isId(id)) return undefined;
      return database.read(async (reader) => {
        const row = await findRun(reader, projectId, id);
        return row && wholeRun(reader, row);
      });
    },
    async list(projectId, filter = {}) {
      if (!isId(projectId)) return [];
      return database.read((reader) => listRuns(reader, projectId, filter));
    },
    async prune(projectId, before) {
      if (!isId(projectId)) return 0;
      return database.transaction((tx) => deleteRuns(tx, projectId, { endedBefore: before }));
    },
    async purge({ projectId, sessionId }, { running = false } = {}) {
      if (!isId(projectId)) return 0;
      const count = await database.transaction((tx) => deleteRuns(tx, projectId, { session: sessionId, running }));
      await database.wipe();
      return count;
    },
  };
}

async function hasAbandoned(reader: Reader, claim: ClaimRuns): Promise<boolean> {
  const found = await reader.query
    .selectFrom("runs")
    .select("seq")
    .where(isAbandoned(reader, claim))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

async function listRuns(
  { query }: Reader,
  projectId: string,
  { chat, session, status, limit }: RunFilter,
): Promise<readonly RunItem[]> {
  let runs = query
    .selectFrom("runs")
    .select(["seq", "project_id", "run_id", "session_id", "chat", "status", "attempt", "worker", "lease_until"])
    .select(["started_at", "finished_at", "input_ts", "reply_ts", "model", "place", "calls", "error"])
    .select(["request", "reply", "result"])
    .where("project_id", "=", projectId)
    .orderBy("seq", "desc");
  if (chat !== undefined) runs = runs.where("chat", "=", chatColumn(chat));
  if (session !== undefined) runs = runs.where("session_id", "=", sessionColumn(session));
  if (status !== undefined) runs = runs.where("status", "=", status);
  if (limit !== undefined) runs = runs.limit(limit);
  return (await runs.execute()).map(fromRunRow);
}

async function deleteRuns(
  tx: Transaction,
  projectId: string,
  which: { readonly endedBefore: number } | { readonly session: string; readonly running: boolean },
): Promise<number> {
  let runs = tx.query.deleteFrom("runs").where("project_id", "=", projectId);
  if ("endedBefore" in which) {
    runs = runs.where("finished_at", "<", which.endedBefore);
  } else {
    runs = runs.where("session_id", "=", sessionColumn(which.session));
    if (!which.running) runs = runs.where("status", "<>", "running");
  }
  const gone = await runs.returning("run_id").execute();
  if (gone.length === 0) return 0;
  await tx.query
    .deleteFrom("run_steps")
    .where("project_id", "=", projectId)
    .where("run_id", "in", tx.listed(gone.map((run) => run.run_id)))
    .execute();
  return gone.length;
}
