import type { Generated } from "kysely";
import type { CardOrigin } from "../ports/card-store.ts";
import type { RunStatus } from "../ports/run-store.ts";
import type { BatchStatus, TaskStatus } from "../ports/task-store.ts";

// One row type for each table, the same on both databases. Times are milliseconds since 1970; JSON is text, because
// jsonb refuses NUL and lone surrogates; flags are 0 and 1, because SQLite has no booleans.

export interface SessionRow {
  readonly project_id: string;
  readonly session_id: string;
  readonly tail_id: string | null;
  readonly length: number;
  readonly updated_at: number;
  /** JSON of its context settings; `null` where it has none. */
  readonly settings: string | null;
}

interface SessionEntryRow {
  readonly project_id: string;
  readonly session_id: string;
  readonly position: number;
  readonly entry_id: string;
  readonly body: string;
}

export interface CardRow {
  readonly project_id: string;
  readonly card_id: string;
  readonly type: string;
  readonly author_id: string;
  readonly created_at: number;
  /** The text of a card that holds text, as it is: parsing it would take as long as reading it. `null` for others. */
  readonly text: string | null;
  /** JSON of `{content, metadata}`, without `content` where there is a `text`. */
  readonly body: string;
}

export interface BoxRow {
  readonly project_id: string;
  readonly box_id: string;
  readonly version: number;
  /** How many cards the newest version holds. */
  readonly length: number;
  /** JSON array of box ids. */
  readonly parents: string;
  readonly created_at: number;
}

/** What one version added. A box is its segments one after the other, so that an append writes only what is new. */
export interface BoxSegmentRow {
  readonly project_id: string;
  readonly box_id: string;
  readonly version: number;
  /** JSON of `Run[]`. */
  readonly items: string;
}

/** Neighbours of one origin: most boxes are three runs long. */
export type Run = readonly [origin: CardOrigin, cardIds: readonly string[]];

interface ProfileRow {
  readonly project_id: string;
  readonly name: string;
  readonly box_id: string;
}

export interface AgentRow {
  readonly project_id: string;
  readonly agent_id: string;
  readonly profile_box_id: string;
  readonly output_box_id: string;
  readonly parent_agent_id: string | null;
  readonly details: string;
  readonly created_at: number;
}

export interface BatchRow {
  readonly project_id: string;
  readonly batch_id: string;
  readonly parent_task_id: string | null;
  readonly status: BatchStatus;
  readonly size: number;
  readonly open: number;
  readonly succeeded: number;
  readonly timed_out: number;
  readonly fail_fast: number;
  readonly details: string;
  readonly created_at: number;
  readonly closed_at: number | null;
}

/** What a run and a task have in common: one worker at a time holds it. */
interface WorkRow {
  readonly seq: number;
  readonly project_id: string;
  readonly attempt: number;
  readonly worker: string | null;
  readonly lease_until: number | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly finished_at: number | null;
}

export interface TaskRow extends WorkRow {
  readonly task_id: string;
  readonly agent_id: string;
  readonly status: TaskStatus;
  readonly failures: number;
  readonly max_failures: number;
  readonly parent_task_id: string | null;
  readonly root_task_id: string;
  readonly depth: number;
  readonly batch_id: string | null;
  readonly task_index: number;
  readonly profile_box_id: string;
  readonly context_box_id: string;
  readonly output_box_id: string;
  readonly output_start: number | null;
  readonly output_end: number | null;
  readonly waits_for: string | null;
  readonly not_before: number;
  readonly deadline: number | null;
  readonly details: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly origin_place: string | null;
  /** JSON of the other fields of `TaskOrigin`. */
  readonly origin: string | null;
  readonly returned_to: string | null;
  readonly returned_at: number | null;
}

export interface BuildSessionRow {
  readonly project_id: string;
  readonly session_id: string;
  /** Another one after every write, so that who remembers the last build sees whether it still is the last. */
  readonly mark: string;
  readonly builds: number;
  /** How many items the session has numbered. */
  readonly items: number;
  readonly updated_at: number;
  readonly model: string;
  readonly input_tokens: number;
  readonly turns: number;
}

/** A build. Wide columns come last: a list does not read them. */
export interface BuildRow {
  readonly project_id: string;
  readonly session_id: string;
  readonly n: number;
  readonly build_key: string;
  /** The number of the last build whose ledger is written in full: this one, or one at most 199 before. */
  readonly base: number;
  readonly tools: number;
  readonly details: string;
  readonly usage: string | null;
  /** The tools and the messages, by their numbers among the session's items. */
  readonly items: string;
  /** As what differs from the build before. */
  readonly ledger: string;
  /** How many items the session had; `null` in builds of former versions. */
  readonly items_before: number | null;
  /** How many items `own` holds. */
  readonly own_count: number;
  /** The few messages that the session sent here first, as `OwnItem[]`; `null` where it is none, or they are many. */
  readonly own: string | null;
}

/** A tool or a message that builds of a session have sent, and that does not lie in the row of a build. */
export interface BuildItemRow {
  readonly project_id: string;
  readonly session_id: string;
  readonly number: number;
  /** `null` when its content was removed. */
  readonly hash: string | null;
  /** What stands in the place of content that was removed. */
  readonly shell: string | null;
  /** The content, where it is the session's own; else it is in `build_bodies`, once for the project. */
  readonly body: string | null;
}

interface BuildBodyRow {
  readonly project_id: string;
  readonly hash: string;
  readonly body: string;
}

interface BuildRequestRow {
  readonly project_id: string;
  readonly session_id: string;
  readonly n: number;
  readonly raw: string;
}

export interface RunRow extends WorkRow {
  readonly run_id: string;
  readonly session_id: string;
  readonly chat: string | null;
  readonly status: RunStatus;
  readonly started_at: number;
  readonly input_ts: number;
  readonly reply_ts: number | null;
  readonly model: string;
  readonly place: string;
  readonly calls: string;
  readonly request: string;
  readonly reply: string | null;
  readonly context: string | null;
}

interface RunStepRow {
  readonly project_id: string;
  readonly run_id: string;
  readonly position: number;
  readonly hash: string;
  readonly body: string;
}

/** Rows as they are read. */
export interface Rows {
  readonly sessions: SessionRow;
  readonly session_entries: SessionEntryRow;
  readonly cards: CardRow;
  readonly boxes: BoxRow;
  readonly box_segments: BoxSegmentRow;
  readonly profiles: ProfileRow;
  readonly agents: AgentRow;
  readonly batches: BatchRow;
  readonly tasks: TaskRow;
  readonly build_sessions: BuildSessionRow;
  readonly builds: BuildRow;
  readonly build_items: BuildItemRow;
  readonly build_bodies: BuildBodyRow;
  readonly build_requests: BuildRequestRow;
  readonly runs: RunRow;
  readonly run_steps: RunStepRow;
}

type Numbered<Row> = Omit<Row, "seq"> & { readonly seq: Generated<number> };

/** Rows as Kysely knows them: the database numbers runs and tasks. */
export interface Tables extends Omit<Rows, "runs" | "tasks"> {
  readonly runs: Numbered<RunRow>;
  readonly tasks: Numbered<TaskRow>;
}
