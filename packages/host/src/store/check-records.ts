import { type RawBuilder, sql } from "kysely";

export interface Named {
  readonly project_id: string;
  readonly id: string;
  readonly detail: string | number | null;
}

export interface Check {
  readonly find: RawBuilder<Named>;
  readonly path: string;
  message(found: Named): string;
  readonly hint?: string;
}

/** Rows of builds and runs that contradict others. */
export const recordChecks: readonly Check[] = [
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
        where i.project_id = s.project_id and i.session_id = s.session_id)`,
    message: ({ id, detail }) =>
      `The builds of the session ${q(id)} count ${detail} messages, but not as many are there.`,
  },
  {
    path: "builds",
    find: sql`
      select project_id, session_id as id, number as detail from build_items as i
      where (hash is null and shell is null) or (hash is not null and not exists (select 1 from build_bodies as b
        where b.project_id = i.project_id and b.hash = i.hash))`,
    message: ({ id, detail }) => `The content of message ${detail} in the builds of the session ${q(id)} is missing.`,
  },
  {
    path: "builds",
    find: sql`
      select project_id, hash as id, 0 as detail from build_bodies as b
      where not exists (select 1 from build_items as i where i.project_id = b.project_id and i.hash = b.hash)`,
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

function q(text: string): string {
  return JSON.stringify(text);
}
