import { checkIds, checkSessionId, encodeSessionId, searchedId } from "../database/ids.ts";
import type { Reader, Transaction } from "../database/database.ts";
import type { LateDatabase } from "../database/late-writes.ts";
import { findWork, moveWork } from "../work/held-work.ts";
import { abortRun, claimRuns, finishRun, hasClaimable, saveRun, startRun, wholeRun } from "./run-transitions.ts";
import { deleteOf, rowsOf } from "../database/rows.ts";
import { chatColumn, fromRunRow } from "./run-rows.ts";
import type { RunFilter, RunHold, RunItem, RunStore } from "../ports/run-store.ts";

export function sqlRunStore(database: LateDatabase): RunStore {
  return {
    async start(run, options) {
      checkIds("project", [run.projectId]);
      checkIds("run", [run.id]);
      checkIds("worker", [run.worker]);
      checkSessionId(run.session);
      return database.write(aboutRun(run), (tx) => startRun(tx, run), options);
    },
    save: (hold, progress, options) => database.write(aboutRun(hold), (tx) => saveRun(tx, hold, progress), options),
    renew: (hold, leaseUntil) =>
      database.transaction(async (tx) => {
        const change = { lease_until: await tx.leaseTime(leaseUntil) };
        return (await moveWork(tx, "runs", hold, change)) !== undefined;
      }),
    finish: (hold, outcome, now, options) =>
      database.write(aboutRun(hold), (tx) => finishRun(tx, hold, outcome, now), options),
    async release(hold) {
      await database.transaction((tx) => moveWork(tx, "runs", hold, { lease_until: 0, worker: null }));
    },
    abort: (run) => database.transaction((tx) => abortRun(tx, run)),
    async claimAbandoned(projectId, worker, options) {
      checkIds("worker", [worker]);
      const claim = { ...options, projectId: searchedId(projectId), worker };
      await database.settled();
      // Processes ask again and again, and must not take the lock of all writers for nothing.
      if (!(await database.read((reader) => hasClaimable(reader, claim)))) return [];
      return database.transaction((tx) => claimRuns(tx, claim));
    },
    async get(projectId, id) {
      await database.settled(aboutRun({ projectId, id }));
      return database.read(async (reader) => {
        const row = await findWork(reader, "runs", { projectId, id });
        return row && wholeRun(reader, row);
      });
    },
    async list(projectId, filter = {}) {
      await database.settled();
      return database.read((reader) => listRuns(reader, searchedId(projectId), filter));
    },
    prune: (projectId, before) => database.transaction((tx) => deleteRuns(tx, projectId, { endedBefore: before })),
    async purge({ projectId, sessionId }, { running = false } = {}) {
      const count = await database.transaction((tx) => deleteRuns(tx, projectId, { session: sessionId, running }));
      await database.wipe();
      return count;
    },
  };
}

function aboutRun({ projectId, id }: Pick<RunHold, "projectId" | "id">): string {
  return `run ${projectId} ${id}`;
}

async function listRuns(
  reader: Reader,
  projectId: string,
  { chat, session, status, limit }: RunFilter,
): Promise<readonly RunItem[]> {
  const session_id = session === undefined ? undefined : encodeSessionId(session);
  const key = { project_id: projectId, chat: chatColumn(chat) ?? undefined, session_id, status };
  const runs = rowsOf(reader, "runs", key)
    .select(["seq", "project_id", "run_id", "session_id", "chat", "status", "attempt", "worker", "lease_until"])
    .select(["started_at", "finished_at", "input_ts", "reply_ts", "model", "place", "calls", "error"])
    .select(["request", "reply", "result"])
    .orderBy("seq", "desc");
  return (await (limit === undefined ? runs : runs.limit(limit)).execute()).map(fromRunRow);
}

async function deleteRuns(
  tx: Transaction,
  project: string,
  which: { readonly endedBefore: number } | { readonly session: string; readonly running: boolean },
): Promise<number> {
  const project_id = searchedId(project);
  const own = deleteOf(tx, "runs", { project_id });
  const runs =
    "endedBefore" in which
      ? own.where("finished_at", "<", which.endedBefore)
      : own
          .where("session_id", "=", encodeSessionId(which.session))
          .$if(!which.running, (ended) => ended.where("status", "<>", "running"));
  const gone = await runs.returning("run_id").execute();
  const ids = tx.listed(gone.map((run) => run.run_id));
  if (gone.length > 0) await deleteOf(tx, "run_steps", { project_id }).where("run_id", "in", ids).execute();
  return gone.length;
}
