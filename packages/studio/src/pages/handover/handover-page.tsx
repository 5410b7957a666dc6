import { Waypoints } from "lucide-react";
import { type ReactElement, useState } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { Link, navigate, useQueryState } from "../../frame/location.tsx";
import { Page } from "../../frame/page.tsx";
import { type PageParams, pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Select, TextField } from "../../kit/fields.tsx";
import { EmptyState, ErrorNotice, useLoaded } from "../../kit/notices.tsx";
import { BoxView } from "./box-view.tsx";
import { Profiles } from "./profiles.tsx";
import { TaskStatus } from "../../kit/task-status.tsx";
import { TaskTreeView } from "./task-tree-view.tsx";
import { Section } from "../../kit/section.tsx";

/** Tasks with their trees, or one box of cards. */
export function HandoverPage({ params: { id: box } }: PageParams<"boxes">): ReactElement {
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
  const { data, pending } = useLoaded("tasks.list", { query: { limit: 100 } }, { pollMs: 5000 });
  if (pending) return pending;
  return (
    <div className="flex flex-col gap-6">
      <NewTask />
      <Profiles />
      {data.tasks.length === 0 && (
        <EmptyState icon={<Waypoints aria-hidden size={28} />} title={text.emptyTitle}>
          {text.emptyBody}
        </EmptyState>
      )}
      {data.tasks.length > 0 && (
        <Section title={text.tasks}>
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
        </Section>
      )}
    </div>
  );
}

/** Gives a task to a profile, as a person does. */
function NewTask(): ReactElement | null {
  const text = useText(handoverText);
  const { data } = useApi("profiles.list", {});
  const start = useAction("tasks.start");
  const [chosen, setChosen] = useState<string>();
  const [instruction, setInstruction] = useState("");
  if (!data) return null;
  if (data.profiles.length === 0) return null;
  const profile = chosen ?? data.profiles[0]?.name;
  const give = (): void => {
    if (profile === undefined) return;
    start.mutate(
      { body: { profile, instruction } },
      { onSuccess: ({ taskId }) => navigate(pathTo("boxes", {}, { task: taskId })) },
    );
  };
  return (
    <section aria-label={text.newTask} className="flex flex-col gap-3 rounded-md border border-line bg-raised p-4">
      <h2 className="text-base font-semibold">{text.newTask}</h2>
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label={text.profile}
          className="w-48"
          placeholder={text.chooseProfile}
          options={data.profiles.map(({ name }) => ({ id: name, label: name }))}
          value={profile}
          onChange={setChosen}
        />
        <TextField
          label={text.instruction}
          className="min-w-0 flex-1 basis-60"
          value={instruction}
          onChange={setInstruction}
        />
        <Button look="primary" isDisabled={instruction.trim() === "" || start.isPending} onPress={give}>
          {text.give}
        </Button>
      </div>
      {start.error && <ErrorNotice error={start.error} />}
    </section>
  );
}
