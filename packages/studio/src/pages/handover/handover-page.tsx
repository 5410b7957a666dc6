import type { ReactElement } from "react";
import { Waypoints } from "lucide-react";
import { Link } from "../../frame/link.tsx";
import { useQueryState } from "../../frame/navigation-state.ts";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { BoxView } from "./box-view.tsx";
import { TaskTreeView } from "./task-tree-view.tsx";
import { useApi } from "../../api/use-api.ts";
import { EmptyState } from "../../kit/empty-state.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { NewTask } from "./new-task.tsx";
import { TaskStatus } from "./task-status.tsx";

export interface HandoverPageProps {
  readonly box: string | undefined;
}

/** Tasks with their trees, or one box of cards. */
export function HandoverPage({ box }: HandoverPageProps): ReactElement {
  const text = useText(handoverText);
  const { query } = useQueryState();
  const task = query["task"];
  if (box !== undefined) {
    return (
      <Page title={text.boxTitle(box)} header={<Link href={pathTo("boxes", {}, { task })}>{text.all}</Link>}>
        <BoxView key={box} id={box} version={query["version"]} task={task} />
      </Page>
    );
  }
  if (task !== undefined) {
    return (
      <Page title={text.tree} header={<Link href={pathTo("boxes", {})}>{text.all}</Link>}>
        <TaskTreeView key={task} root={task} />
      </Page>
    );
  }
  return (
    <Page title={text.title} header={<p className="text-muted">{text.lead}</p>}>
      <TaskList />
    </Page>
  );
}

/** The newest tasks, and a form that gives a task. */
function TaskList(): ReactElement {
  const text = useText(handoverText);
  const formats = useFormats();
  const { data, error, refetch } = useApi("tasks.list", { query: { limit: 100 } }, { pollMs: 5000 });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Spinner />;
  return (
    <div className="flex flex-col gap-6">
      <NewTask />
      {data.tasks.length === 0 && (
        <EmptyState icon={<Waypoints aria-hidden size={28} />} title={text.emptyTitle}>
          {text.emptyBody}
        </EmptyState>
      )}
      {data.tasks.length > 0 && (
        <section aria-label={text.tasks}>
          <h2 className="mb-2 text-base font-semibold">{text.tasks}</h2>
          <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
            {data.tasks.map(({ taskId, agentId, profileName, startedBy, status, instruction, createdAt }) => (
              <li key={taskId} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
                <TaskStatus status={status} />
                <Link
                  href={pathTo("boxes", {}, { task: taskId })}
                  className="line-clamp-1 min-w-0 flex-1 basis-60 text-accent underline-offset-2 hover:underline"
                >
                  {instruction}
                </Link>
                <span className="font-mono text-xs text-muted">{profileName ?? agentId}</span>
                <span className="text-xs text-muted">{text.by(startedBy)}</span>
                <span className="text-xs text-muted tabular-nums">{formats.dateTime(createdAt)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
