import type { Problem } from "@galley/engine";
import { type RawBuilder, sql } from "kysely";
import { fromRuns } from "./cards/card-rows.ts";
import type { Database, Reader } from "./database/database.ts";
import { rowsOf } from "./database/rows.ts";

/** How many of each kind are named: nobody reads thousands of lines. */
const namedLimit = 20;
const pageSize = 500;

const open = sql`('queued', 'running', 'waiting')`;

interface Named {
  readonly project_id: string;
  readonly id: string;
  readonly detail: string | number | null;
}

interface Check {
  readonly find: RawBuilder<Named>;
  readonly path: string;
  message(found: Named): string;
  readonly hint?: string;
}

/** Each finds rows that contradict others; written so that both databases run them. */
const checks: readonly Check[] = [
  {
    path: "sessions",
    find: sql`
      select project_id, session_id as id, length as detail from sessions
      where length <> (select count(*) from session_entries as e
          where e.project_id = sessions.project_id and e.session_id = sessions.session_id)
        or tail_id <> (select entry_id from session_entries as e
          where e.project_id = sessions.project_id and e.session_id = sessions.session_id
          order by position desc limit 1)`,
    message: ({ id, detail }) =>
      `The session ${q(id)} says that it has ${detail} entries, but its entries say otherwise.`,
  },
  {
    path: "boxes",
    find: sql`
      select project_id, box_id as id, version as detail from boxes
      where version <> (select count(*) from box_segments as s
        where s.project_id = boxes.project_id and s.box_id = boxes.box_id)`,
    message: ({ id, detail }) => `The box ${q(id)} has version ${detail}, but not as many parts.`,
  },
  {
    path: "batches",
    find: sql`
      select project_id, batch_id as id, open as detail from batches
      where open <> (select count(*) from tasks as t
          where t.project_id = batches.project_id and t.batch_id = batches.batch_id and t.status in ${open})
        or (open = 0) <> (status <> 'open')`,
    message: ({ id, detail }) => `The batch ${q(id)} counts ${detail} open tasks, but its tasks say otherwise.`,
  },
  {
    path: "tasks",
    find: sql`
      select project_id, task_id as id, waits_for as detail from tasks
      where status = 'waiting' and not exists (select 1 from batches as b
        where b.project_id = tasks.project_id and b.batch_id = tasks.waits_for and b.status = 'open')`,
    message: ({ id, detail }) => `The task ${q(id)} waits for the batch ${q(String(detail))}, which is not open.`,
    hint: "It will never go on by itself; cancel it.",
  },
  {
    path: "tasks",
    find: sql`
      select project_id, task_id as id, missing as detail from (
        select project_id, task_id, context_box_id as missing from tasks
        union all select project_id, task_id, output_box_id from tasks
        union all select project_id, task_id, profile_box_id from tasks
      ) as used
      where not exists (select 1 from boxes as b where b.project_id = used.project_id and b.box_id = used.missing)`,
    message: ({ id, detail }) => `The task ${q(id)} uses the box ${q(String(detail))}, which does not exist.`,
  },
  {
    path: "builds",
    find: sql`
      select project_id, session_id as id, builds as detail from build_sessions as s
      where builds <> (select count(*) from builds as b
          where b.project_id = s.project_id and b.session_id = s.session_id)
        or builds <> (select max(n) from builds as b
          where b.project_id = s.project_id and b.session_id = s.session_id)`,
    message: ({ id, detail }) =>
      `The session ${q(id)} says that it has ${detail} builds, but its builds say otherwise.`,
  },
  {
    path: "builds",
    find: sql`
      select project_id, session_id as id, items as detail from build_sessions as s
      where items <> (select count(*) from build_items as i
          where i.project_id = s.project_id and i.session_id = s.session_id)
        + (select coalesce(sum(own_count), 0) from builds as b
          where b.project_id = s.project_id and b.session_id = s.session_id)`,
    message: ({ id, detail }) =>
      `The builds of the session ${q(id)} count ${detail} messages, but not as many are there.`,
  },
  {
    path: "builds",
    find: sql`
      select project_id, session_id as id, number as detail from build_items as i
      where (hash is null and shell is null) or (hash is not null and body is null and not exists (select 1
        from build_bodies as b where b.project_id = i.project_id and b.hash = i.hash))`,
    message: ({ id, detail }) => `The content of message ${detail} in the builds of the session ${q(id)} is missing.`,
  },
  {
    path: "builds",
    find: sql`
      select project_id, session_id as id, n as detail from builds where (own_count > 0) <> (own is not null)`,
    message: ({ id, detail }) => `What build ${detail} of the session ${q(id)} said for the first time is missing.`,
  },
  {
    path: "builds",
    find: sql`
      select project_id, hash as id, 0 as detail from build_bodies as b
      where not exists (select 1 from build_items as i
        where i.project_id = b.project_id and i.hash = b.hash and i.body is null)`,
    message: ({ id }) => `The message with the hash ${q(id)} is kept, but no build has sent it.`,
  },
  {
    path: "builds",
    find: sql`
      select project_id, session_id as id, n as detail from (
        select project_id, session_id, n from build_requests union all select project_id, session_id, n from builds
      ) as kept
      where not exists (select 1 from build_sessions as s
        where s.project_id = kept.project_id and s.session_id = kept.session_id and kept.n <= s.builds)`,
    message: ({ id, detail }) => `Build ${detail} is kept of the session ${q(id)}, which does not have it.`,
  },
  {
    path: "runs",
    find: sql`
      select project_id, run_id as id, status as detail from runs
      where (status = 'running') <> (finished_at is null) or (status = 'running') <> (lease_until is not null)`,
    message: ({ id, detail }) => `The run ${q(id)} is ${detail}, but its times say otherwise.`,
  },
  {
    path: "runs",
    find: sql`
      select project_id, run_id as id, position as detail from run_steps as s
      where not exists (select 1 from runs as r where r.project_id = s.project_id and r.run_id = s.run_id)`,
    message: ({ id }) => `Steps of the run ${q(id)} are kept, but there is no such run.`,
  },
];

/** Everything in the database that contradicts itself, with what no worker has looked at for long as warnings. */
export async function checkDatabase(database: Database, now: number): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const check of checks) {
    const { rows } = await database.read(({ query }) =>
      sql<Named>`select * from (${check.find}) as found limit ${namedLimit}`.execute(query),
    );
    for (const found of rows) {
      problems.push(damaged(`${check.path}/${found.project_id}/${found.id}`, check.message(found), check.hint));
    }
  }
  return [...problems, ...(await checkLengths(database)), ...(await checkLeases(database, now))];
}

/** The length of a box says where tasks began in it. */
async function checkLengths(database: Database): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (let last: readonly [string, string] = ["", ""]; problems.length < namedLimit;) {
    const page = await database.read((reader) => boxesAfter(reader, last));
    for (const box of page) {
      const items = await database.read((reader) => segmentsOf(reader, box.project_id, box.box_id));
      const found = lengthOf(items);
      if (found === box.length) continue;
      const message =
        found === undefined
          ? `The parts of the box ${q(box.box_id)} cannot be read.`
          : `The box ${q(box.box_id)} says that it holds ${box.length} cards, but its parts hold another number.`;
      problems.push(damaged(`boxes/${box.project_id}/${box.box_id}`, message));
    }
    const end = page.at(-1);
    if (!end) break;
    last = [end.project_id, end.box_id];
  }
  return problems;
}

/** How many cards the parts hold; nothing where they cannot be read. */
function lengthOf(segments: readonly string[]): number | undefined {
  try {
    return fromRuns(segments).length;
  } catch {
    return undefined;
  }
}

function boxesAfter({ query }: Reader, [projectId, boxId]: readonly [string, string]) {
  return query
    .selectFrom("boxes")
    .select(["project_id", "box_id", "length"])
    .where((row) =>
      row.or([
        row("project_id", ">", projectId),
        row.and([row("project_id", "=", projectId), row("box_id", ">", boxId)]),
      ]),
    )
    .orderBy("project_id")
    .orderBy("box_id")
    .limit(pageSize)
    .execute();
}

async function segmentsOf(reader: Reader, projectId: string, boxId: string): Promise<string[]> {
  const segments = rowsOf(reader, "box_segments", { project_id: projectId, box_id: boxId });
  const rows = await segments.select("items").execute();
  return rows.map((row) => row.items);
}

const silentMs = 60_000;

const workers = {
  tasks: { id: "task_id", code: "TaskLost", hint: "It goes on by itself as soon as a worker runs: galley worker." },
  runs: { id: "run_id", code: "RunLost", hint: "It goes on by itself as soon as Galley runs on this store." },
} as const;

async function checkLeases(database: Database, now: number): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const silentSince = (await database.read((reader) => reader.leaseTime(now))) - silentMs;
  for (const table of ["tasks", "runs"] as const) {
    const { id: column, code, hint } = workers[table];
    const { rows } = await database.read(({ query }) =>
      sql<Named>`
        select project_id, ${sql.ref(column)} as id, worker as detail from ${sql.table(table)}
        where status = 'running' and lease_until < ${silentSince} limit ${namedLimit}`.execute(query),
    );
    for (const { project_id, id, detail: worker } of rows) {
      const what = `The ${table === "tasks" ? "task" : "run"} ${q(id)}`;
      const message =
        worker === null
          ? `${what} was handed back, and no worker has taken it over.`
          : `${what} is held by the worker ${q(String(worker))}, which has been silent for over a minute.`;
      problems.push({ severity: "warning", code, message, path: `${table}/${project_id}/${id}`, hint });
    }
  }
  return problems;
}

function damaged(path: string, message: string, hint?: string): Problem {
  return { severity: "error", code: "StoreDamaged", message, path, hint };
}

function q(text: string): string {
  return JSON.stringify(text);
}
