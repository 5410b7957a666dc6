import { sql } from "kysely";
import type { Due, Reader } from "../database/database.ts";

/**
 * Tasks that have been due since a time, the oldest first. Not those behind an earlier task of their agent: they are delivered
 * when that one ends, and until then they would be in the way.
 */
export async function dueTasks({ query }: Reader, since: number, limit: number): Promise<readonly Due[]> {
  const { rows } = await sql<Due>`
    select project_id as "projectId", task_id as "taskId", not_before as "notBefore" from tasks as due
    where status = 'queued' and not_before <= ${since} and (deadline is null or deadline > ${since})
      and not exists (
        select 1 from tasks as earlier
        where earlier.project_id = due.project_id and earlier.agent_id = due.agent_id and earlier.seq < due.seq
          and earlier.status in ('queued', 'running', 'waiting')
      )
    order by not_before, seq limit ${limit}`.execute(query);
  return rows;
}
