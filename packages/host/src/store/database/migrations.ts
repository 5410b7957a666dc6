import { GalleyError } from "@galley/engine";

/** One step from a version to the next. Once released, a step is never changed: a new one follows it. */
export interface Migration {
  readonly version: number;
  readonly sqlite: string;
  readonly postgres: string;
}

/** What differs between the two databases in an otherwise equal schema. */
interface Words {
  readonly bigint: string;
  /** A number that rises from row to row, as the first columns of a table. */
  readonly sequence: string;
  /** Text that is compared byte by byte, whatever the database's locale. */
  readonly text: string;
}

const sqliteWords: Words = {
  bigint: "INTEGER",
  sequence: "seq INTEGER PRIMARY KEY AUTOINCREMENT",
  text: "TEXT",
};

const postgresWords: Words = {
  bigint: "BIGINT",
  sequence: "seq BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY",
  text: 'TEXT COLLATE "C"',
};

const sessions = ({ text, bigint }: Words): string => `
CREATE TABLE sessions (
  project_id ${text} NOT NULL, session_id ${text} NOT NULL, tail_id ${text}, length INTEGER NOT NULL,
  updated_at ${bigint} NOT NULL,
  PRIMARY KEY (project_id, session_id)
);
CREATE TABLE session_entries (
  project_id ${text} NOT NULL, session_id ${text} NOT NULL, position INTEGER NOT NULL, entry_id ${text} NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (project_id, session_id, position),
  UNIQUE (project_id, session_id, entry_id)
);`;

const cards = ({ text, bigint }: Words): string => `
CREATE TABLE cards (
  project_id ${text} NOT NULL, card_id ${text} NOT NULL, type TEXT NOT NULL, author_id TEXT NOT NULL,
  created_at ${bigint} NOT NULL, text TEXT, body TEXT NOT NULL,
  PRIMARY KEY (project_id, card_id)
);
CREATE TABLE boxes (
  project_id ${text} NOT NULL, box_id ${text} NOT NULL, version INTEGER NOT NULL, length INTEGER NOT NULL,
  parents TEXT NOT NULL, created_at ${bigint} NOT NULL,
  PRIMARY KEY (project_id, box_id)
);
CREATE TABLE box_segments (
  project_id ${text} NOT NULL, box_id ${text} NOT NULL, version INTEGER NOT NULL, items TEXT NOT NULL,
  PRIMARY KEY (project_id, box_id, version)
);
CREATE TABLE profiles (
  project_id ${text} NOT NULL, name ${text} NOT NULL, box_id ${text} NOT NULL,
  PRIMARY KEY (project_id, name)
);`;

const turns = ({ text, bigint, sequence }: Words): string => `
CREATE TABLE agents (
  project_id ${text} NOT NULL, agent_id ${text} NOT NULL, profile_box_id ${text} NOT NULL,
  output_box_id ${text} NOT NULL, parent_agent_id ${text}, details TEXT NOT NULL, created_at ${bigint} NOT NULL,
  PRIMARY KEY (project_id, agent_id)
);
CREATE TABLE batches (
  project_id ${text} NOT NULL, batch_id ${text} NOT NULL, parent_turn_id ${text}, status TEXT NOT NULL,
  size INTEGER NOT NULL, open INTEGER NOT NULL, succeeded INTEGER NOT NULL, timed_out INTEGER NOT NULL,
  fail_fast INTEGER NOT NULL, details TEXT NOT NULL, created_at ${bigint} NOT NULL, closed_at ${bigint},
  PRIMARY KEY (project_id, batch_id)
);
CREATE TABLE turns (
  ${sequence}, project_id ${text} NOT NULL, turn_id ${text} NOT NULL, agent_id ${text} NOT NULL,
  status TEXT NOT NULL, attempt INTEGER NOT NULL, failures INTEGER NOT NULL, max_failures INTEGER NOT NULL,
  parent_turn_id ${text}, root_turn_id ${text} NOT NULL, depth INTEGER NOT NULL, batch_id ${text},
  task_index INTEGER NOT NULL, profile_box_id ${text} NOT NULL, context_box_id ${text} NOT NULL,
  output_box_id ${text} NOT NULL, output_start INTEGER, output_end INTEGER, waits_for ${text}, worker TEXT,
  lease_until ${bigint}, not_before ${bigint} NOT NULL, deadline ${bigint}, details TEXT NOT NULL, result TEXT,
  error TEXT, created_at ${bigint} NOT NULL, started_at ${bigint}, finished_at ${bigint},
  UNIQUE (project_id, turn_id)
);
CREATE INDEX turns_due ON turns (not_before) WHERE status = 'queued';
CREATE INDEX turns_leased ON turns (lease_until) WHERE status = 'running';
CREATE INDEX turns_limited ON turns (deadline)
  WHERE deadline IS NOT NULL AND status IN ('queued', 'running', 'waiting');
CREATE INDEX turns_of_agent ON turns (project_id, agent_id, seq);
CREATE INDEX turns_of_batch ON turns (project_id, batch_id);
CREATE INDEX turns_of_root ON turns (project_id, root_turn_id);
CREATE INDEX turns_of_parent ON turns (project_id, parent_turn_id);
CREATE INDEX turns_with_context ON turns (project_id, context_box_id);
CREATE INDEX turns_with_output ON turns (project_id, output_box_id);`;

const versionOne = (words: Words): string => [sessions, cards, turns].map((part) => part(words)).join("\n");

const builds = ({ text, bigint }: Words): string => `
CREATE TABLE build_sessions (
  project_id ${text} NOT NULL, session_id ${text} NOT NULL, mark TEXT NOT NULL, builds INTEGER NOT NULL,
  items INTEGER NOT NULL, updated_at ${bigint} NOT NULL, model TEXT NOT NULL, input_tokens ${bigint} NOT NULL,
  PRIMARY KEY (project_id, session_id)
);
CREATE TABLE builds (
  project_id ${text} NOT NULL, session_id ${text} NOT NULL, n INTEGER NOT NULL, build_key ${text} NOT NULL,
  base INTEGER NOT NULL, tools INTEGER NOT NULL, details TEXT NOT NULL, usage TEXT, items TEXT NOT NULL,
  ledger TEXT NOT NULL,
  PRIMARY KEY (project_id, session_id, n),
  UNIQUE (project_id, session_id, build_key)
);
CREATE TABLE build_items (
  project_id ${text} NOT NULL, session_id ${text} NOT NULL, number INTEGER NOT NULL, hash ${text}, shell TEXT,
  PRIMARY KEY (project_id, session_id, number)
);
CREATE UNIQUE INDEX build_items_by_hash ON build_items (project_id, hash, session_id);
CREATE TABLE build_bodies (
  project_id ${text} NOT NULL, hash ${text} NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (project_id, hash)
);
CREATE TABLE build_requests (
  project_id ${text} NOT NULL, session_id ${text} NOT NULL, n INTEGER NOT NULL, raw TEXT NOT NULL,
  PRIMARY KEY (project_id, session_id, n)
);`;

const runs = ({ text, bigint, sequence }: Words): string => `
CREATE TABLE runs (
  ${sequence}, project_id ${text} NOT NULL, run_id ${text} NOT NULL, session_id ${text} NOT NULL, chat ${text},
  status TEXT NOT NULL, attempt INTEGER NOT NULL, worker TEXT, lease_until ${bigint}, started_at ${bigint} NOT NULL,
  finished_at ${bigint}, input_ts ${bigint} NOT NULL, reply_ts ${bigint}, model TEXT NOT NULL, place TEXT NOT NULL,
  turns TEXT NOT NULL, error TEXT, request TEXT NOT NULL, reply TEXT, result TEXT, context TEXT,
  UNIQUE (project_id, run_id)
);
CREATE INDEX runs_leased ON runs (project_id, lease_until) WHERE status = 'running';
CREATE INDEX runs_of_session ON runs (project_id, session_id, seq);
CREATE INDEX runs_of_chat ON runs (project_id, chat, seq) WHERE chat IS NOT NULL;
CREATE INDEX runs_ended ON runs (project_id, finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX runs_in_order ON runs (project_id, seq);
CREATE TABLE run_steps (
  project_id ${text} NOT NULL, run_id ${text} NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (project_id, run_id, position)
);`;

const versionTwo = (words: Words): string => [builds, runs].map((part) => part(words)).join("\n");

/** What was called a turn is a task, and what a run calls its turns are calls of the model. */
const renamed = `
ALTER TABLE turns RENAME TO tasks;
ALTER TABLE tasks RENAME COLUMN turn_id TO task_id;
ALTER TABLE tasks RENAME COLUMN parent_turn_id TO parent_task_id;
ALTER TABLE tasks RENAME COLUMN root_turn_id TO root_task_id;
ALTER TABLE batches RENAME COLUMN parent_turn_id TO parent_task_id;
ALTER TABLE runs RENAME COLUMN turns TO calls;
${["due", "leased", "limited", "of_agent", "of_batch", "of_root", "of_parent", "with_context", "with_output"]
  .map((name) => `DROP INDEX turns_${name};`)
  .join("\n")}
CREATE INDEX tasks_due ON tasks (not_before) WHERE status = 'queued';
CREATE INDEX tasks_leased ON tasks (lease_until) WHERE status = 'running';
CREATE INDEX tasks_limited ON tasks (deadline)
  WHERE deadline IS NOT NULL AND status IN ('queued', 'running', 'waiting');
CREATE INDEX tasks_of_agent ON tasks (project_id, agent_id, seq);
CREATE INDEX tasks_of_batch ON tasks (project_id, batch_id);
CREATE INDEX tasks_of_root ON tasks (project_id, root_task_id);
CREATE INDEX tasks_of_parent ON tasks (project_id, parent_task_id);
CREATE INDEX tasks_with_context ON tasks (project_id, context_box_id);
CREATE INDEX tasks_with_output ON tasks (project_id, output_box_id);`;

/** In JSON a quote within a text has a backslash before it: what is replaced here is always a key or a whole value. */
function replaced(column: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((sql, [from, to]) => `replace(${sql}, '${from}', '${to}')`, column);
}

const codes = [
  ['"code":"TurnFailed"', '"code":"TaskFailed"'],
  ['"code":"TurnLost"', '"code":"TaskLost"'],
] as const;
const limitNames = { iterations: "maxCalls", callsPerStep: "maxToolCallsPerReply", timeMs: "maxMilliseconds" };
// With the digit behind it: a variable of the same name has a text as its value.
const limits = Object.entries(limitNames).flatMap(([from, to]) =>
  Array.from({ length: 9 }, (_, index) => [`"${from}":${index + 1}`, `"${to}":${index + 1}`] as const),
);
/** Sessions of tasks; a name with characters that a database does not take is stored as JSON, with quotes. */
const sessionNames = [
  "sessions",
  "session_entries",
  "build_sessions",
  "builds",
  "build_items",
  "build_requests",
  "runs",
]
  .flatMap((table) => ["", '"'].map((quote) => ({ table, quote })))
  .map(
    ({ table, quote }) => `UPDATE ${table} SET session_id = '${quote}task:' || substr(session_id, ${quote.length + 6})
  WHERE session_id LIKE '${quote}turn/%';`,
  );

const rewritten = `
UPDATE tasks SET error = ${replaced("error", codes)} WHERE error IS NOT NULL;
UPDATE runs SET error = ${replaced("error", codes)} WHERE error IS NOT NULL;
UPDATE runs SET result = ${replaced("result", [['"turns":[', '"calls":[']])} WHERE result IS NOT NULL;
UPDATE runs SET request = ${replaced("request", limits)} WHERE request LIKE '%"limits":{%';
${sessionNames.join("\n")}`;

/** A run is not a task: what ended one has codes of its own. */
const runCodes = [
  ['"code":"TaskFailed"', '"code":"RunFailed"'],
  ['"code":"TaskLost"', '"code":"RunLost"'],
] as const;
const recoded = `
UPDATE runs SET error = ${replaced("error", runCodes)} WHERE error IS NOT NULL;`;

/**
 * Each call says its turn. Keys were `<run>/<call>/<limit>` in runs and the turn's id alone elsewhere; a task's session has one
 * turn. Texts are put together, because PostgreSQL's jsonb refuses what a text may hold.
 */
const numbered = (turnKey: string): string => `
ALTER TABLE build_sessions ADD COLUMN turns INTEGER NOT NULL DEFAULT 0;
UPDATE builds SET details = substr(details, 1, length(details) - 1) || ',"turn":' || counted.turn || ',"callOfTurn":' || counted.call || '}'
FROM (
  SELECT project_id, session_id, n, call, dense_rank() OVER (PARTITION BY project_id, session_id ORDER BY first) AS turn
  FROM (
    SELECT project_id, session_id, n,
      min(n) OVER (PARTITION BY project_id, session_id, turn_key) AS first,
      row_number() OVER (PARTITION BY project_id, session_id, turn_key ORDER BY n) AS call
    FROM (
      SELECT project_id, session_id, n, CASE WHEN session_id LIKE 'task:%' OR session_id LIKE '"task:%' THEN ''
        WHEN build_key LIKE '%/%/%' THEN ${turnKey} ELSE build_key END AS turn_key
      FROM builds
    ) AS keyed
  ) AS grouped
) AS counted
WHERE counted.project_id = builds.project_id AND counted.session_id = builds.session_id AND counted.n = builds.n;
UPDATE build_sessions SET turns = numbered.turns FROM (
  SELECT project_id, session_id, count(*) AS turns FROM builds WHERE details LIKE '%,"callOfTurn":1}' GROUP BY project_id, session_id
) AS numbered
WHERE numbered.project_id = build_sessions.project_id AND numbered.session_id = build_sessions.session_id;`;
/** Without the last two parts of the key; `rtrim` takes off all that are in a list of characters, here all but the slash. */
const withoutLastPart = (key: string): string => `rtrim(rtrim(${key}, replace(${key}, '/', '')), '/')`;

/** Where a task came from, and the turn that its result went back to [A1]. Those of before belong to the person. */
const returns = ({ text, bigint }: Words): string => `
ALTER TABLE tasks ADD COLUMN origin_place ${text};
ALTER TABLE tasks ADD COLUMN origin TEXT;
ALTER TABLE tasks ADD COLUMN returned_to ${text};
ALTER TABLE tasks ADD COLUMN returned_at ${bigint};
CREATE INDEX tasks_of_place ON tasks (project_id, origin_place, seq) WHERE origin_place IS NOT NULL;`;

/** The context settings of a session [T3]. */
const sessionSettings = `
ALTER TABLE sessions ADD COLUMN settings TEXT;`;

/** A short message is kept with the number that a session gave it: looked for by its hash, each would change a page of its own. */
const ownBodies = `
ALTER TABLE build_items ADD COLUMN body TEXT;
DROP INDEX build_items_by_hash;
CREATE UNIQUE INDEX build_items_by_hash ON build_items (project_id, hash, session_id) WHERE body IS NULL;`;

/** What a call says for the first time is kept with its build: rows of their own would change some pages more. */
const itemsInBuilds = `
ALTER TABLE builds ADD COLUMN items_before INTEGER;
ALTER TABLE builds ADD COLUMN own_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE builds ADD COLUMN own TEXT;`;

export const migrations: readonly Migration[] = [
  { version: 1, sqlite: versionOne(sqliteWords), postgres: versionOne(postgresWords) },
  { version: 2, sqlite: versionTwo(sqliteWords), postgres: versionTwo(postgresWords) },
  { version: 3, sqlite: renamed + rewritten, postgres: renamed + rewritten },
  { version: 4, sqlite: recoded, postgres: recoded },
  { version: 5, sqlite: returns(sqliteWords), postgres: returns(postgresWords) },
  {
    version: 6,
    sqlite: numbered(withoutLastPart(withoutLastPart("build_key"))),
    postgres: numbered("regexp_replace(build_key, '/[^/]*/[^/]*$', '')"),
  },
  { version: 7, sqlite: sessionSettings, postgres: sessionSettings },
  { version: 8, sqlite: ownBodies, postgres: ownBodies },
  { version: 9, sqlite: itemsInBuilds, postgres: itemsInBuilds },
];

export const newestVersion = migrations.at(-1)?.version ?? 0;

/** The error for data that a newer Galley has written. */
export function tooNew(where: string, version: number): GalleyError {
  const message = `${where} has version ${version} of the schema; this Galley knows versions up to ${newestVersion}.`;
  return new GalleyError("StoreVersion", message, {
    hint: "Use the Galley that wrote it, or a newer one. Nothing was changed.",
  });
}
