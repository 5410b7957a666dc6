import type { Problem } from "@galley/engine";
import { sql } from "kysely";
import { fromRuns } from "./cards/box-items.ts";
import { type Check, type Named, recordChecks } from "./check-records.ts";
import type { Database, Reader } from "./database/database.ts";
import { rowsOf } from "./database/rows.ts";

/** Of each kind, so many are named; thousands of lines would help nobody. */
const namedLimit = 20;
const pageSize = 500;

const open = sql`('queued', 'running', 'waiting')`;

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
  ...recordChecks,
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
  tasks: { what: "task", id: "task_id", hint: "It goes on by itself as soon as a worker runs: galley worker." },
  runs: { what: "run", id: "run_id", hint: "It goes on by itself as soon as Galley runs on this store." },
} as const;

async function checkLeases(database: Database, now: number): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const table of ["tasks", "runs"] as const) {
    const { what, id, hint } = workers[table];
    const { rows } = await database.read(({ query }) =>
      sql<Leased>`
        select project_id, ${sql.ref(id)} as id, worker from ${sql.table(table)}
        where status = 'running' and lease_until < ${now - silentMs} limit ${namedLimit}`.execute(query),
    );
    problems.push(...rows.map((row) => silent(what, row, hint)));
  }
  return problems;
}

interface Leased {
  readonly project_id: string;
  readonly id: string;
  readonly worker: string | null;
}

function silent(what: "task" | "run", { project_id, id, worker }: Leased, hint: string): Problem {
  const message =
    worker === null
      ? `The ${what} ${q(id)} was handed back, and nobody has taken it over.`
      : `The ${what} ${q(id)} is held by the worker ${q(worker)}, which has been silent for over a minute.`;
  return { severity: "warning", code: "TaskLost", message, path: `${what}s/${project_id}/${id}`, hint };
}

function damaged(path: string, message: string, hint?: string): Problem {
  return { severity: "error", code: "StoreDamaged", message, path, ...(hint === undefined ? {} : { hint }) };
}

function q(text: string): string {
  return JSON.stringify(text);
}
