import type { RouteReply } from "galley/api";
import { Waypoints } from "lucide-react";
import type { ReactElement } from "react";
import { Link, useQueryState } from "../../frame/location.tsx";
import { Crumbs, Page } from "../../frame/page.tsx";
import { type PageParams, pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { EmptyState, useLoaded } from "../../kit/notices.tsx";
import { Section } from "../../kit/section.tsx";
import { TaskStatus } from "../../kit/task-status.tsx";
import { BoxView } from "./box-view.tsx";
import { GiveTask } from "./give-task.tsx";
import { AboutPlace, Giver } from "./giver.tsx";
import { Profiles } from "./profiles.tsx";
import { TaskTreeView } from "./task-tree-view.tsx";

/** Tasks with their trees, or one box of cards. */
export function HandoverPage({ params: { id: box } }: PageParams<"boxes">): ReactElement {
  const text = useText(handoverText);
  const { query } = useQueryState();
  const task = query["task"];
  if (box !== undefined) return <BoxView key={box} id={box} version={query["version"]} task={task} />;
  if (task !== undefined) {
    return (
      <Page
        title={text.title}
        header={
          <Crumbs label={text.all} href={pathTo("boxes", {})}>
            <span>{text.tree}</span>
          </Crumbs>
        }
      >
        <TaskTreeView key={task} root={task} />
      </Page>
    );
  }
  return (
    <Page title={text.title} header={<p className="text-muted">{text.lead}</p>}>
      <Overview />
    </Page>
  );
}

/** A form that gives a task, the newest tasks, and the profiles. */
function Overview(): ReactElement {
  const text = useText(handoverText);
  const { data, pending } = useLoaded("tasks.list", { query: { limit: 100 } }, { pollMs: 5000 });
  const profiles = useLoaded("profiles.list", {});
  if (pending) return pending;
  if (profiles.pending) return profiles.pending;
  const known = profiles.data.profiles;
  return (
    <div className="flex flex-col gap-6">
      {known.length > 0 && <GiveTask profiles={known} />}
      {data.tasks.length > 0 && (
        <Section title={text.tasks}>
          <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
            {data.tasks.map((task) => (
              <TaskLine key={task.taskId} task={task} />
            ))}
          </ul>
        </Section>
      )}
      {data.tasks.length === 0 && known.length === 0 && (
        <EmptyState icon={Waypoints} title={text.emptyTitle}>
          {text.emptyBody}
        </EmptyState>
      )}
      <Profiles profiles={known} />
    </div>
  );
}

type ListedTask = RouteReply<"tasks.list">["tasks"][number];

function TaskLine({ task }: { readonly task: ListedTask }): ReactElement {
  const text = useText(handoverText);
  const formats = useFormats();
  const { taskId, agentId, profileName, startedBy, place, status, instruction, answer, createdAt } = task;
  return (
    <li className="flex flex-col gap-0.5 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <TaskStatus status={status} />
        <Link
          href={pathTo("boxes", {}, { task: taskId })}
          className="line-clamp-1 min-w-0 flex-1 basis-60 font-medium text-accent underline-offset-2 hover:underline"
        >
          {instruction}
        </Link>
        <span className="text-xs text-muted tabular-nums">{formats.dateTime(createdAt)}</span>
      </div>
      {answer !== null && <p className="line-clamp-1 text-muted">{answer}</p>}
      <p className="flex flex-wrap gap-x-1 text-xs text-muted">
        <Giver id={startedBy} />
        <span aria-hidden>→</span>
        <span title={agentId} className="font-medium text-ink">
          {profileName ?? text.anAgent}
        </span>
        <AboutPlace place={place} startedBy={startedBy} />
      </p>
    </li>
  );
}
