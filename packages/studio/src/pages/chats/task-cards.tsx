import type { RouteReply } from "galley/api";
import { placeIdOfChat } from "galley/api/client";
import { Waypoints } from "lucide-react";
import type { ReactElement } from "react";
import { useApi } from "../../api/use-api.ts";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Folded } from "../../kit/folded.tsx";
import { TaskStatus } from "../../kit/task-status.tsx";
import { MessageBody } from "../../message/message-body.tsx";

export type ChatTask = RouteReply<"tasks.list">["tasks"][number];

const none: readonly ChatTask[] = [];

/** What a chat has handed over; asked for again whenever a task has changed. An agent's chat is the agent's place. */
export function useChatTasks(chat: string): readonly ChatTask[] {
  const place = placeIdOfChat(chat);
  return useApi("tasks.list", { query: { place, limit: 200 } }, { keepPrevious: true }).data?.tasks ?? none;
}

/** The tasks that a turn has handed over, oldest first: each as a card that fills in. */
export function TaskCards({ tasks }: { readonly tasks: readonly ChatTask[] }): ReactElement | null {
  if (tasks.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-col gap-2">
      {tasks.toReversed().map((task) => (
        <li key={task.taskId}>
          <TaskCard task={task} />
        </li>
      ))}
    </ul>
  );
}

function TaskCard({ task }: { readonly task: ChatTask }): ReactElement {
  const text = useText(chatsText);
  const { taskId, status, profileName, agentId, contextBoxId, instruction, answer, error, finishedAt, returned } = task;
  const notes = { waiting: text.taskWaiting, given: text.taskGiven, kept: text.taskKept };
  return (
    <article
      data-task={taskId}
      data-returned={returned ?? ""}
      aria-label={text.taskTo(profileName ?? agentId)}
      className="flex min-w-0 flex-col gap-1.5 rounded-md border border-l-4 border-line border-l-accent bg-raised px-3 py-2"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Waypoints aria-hidden size={14} className="shrink-0 text-muted" />
        <h4 className="font-medium">{text.taskTo(profileName ?? agentId)}</h4>
        <TaskStatus status={status} />
        <span className="ml-auto flex flex-wrap gap-x-3 text-xs">
          <Link href={pathTo("boxes", { id: contextBoxId }, { task: taskId })}>{text.taskSaw}</Link>
          <Link href={pathTo("boxes", {}, { task: taskId })}>{text.taskShow}</Link>
        </span>
      </header>
      <Folded>
        <p className="break-words whitespace-pre-wrap text-muted">{instruction}</p>
      </Folded>
      {finishedAt === null && (
        <p role="status" className="text-xs text-muted">
          {text.taskOpen}
        </p>
      )}
      {answer !== null && (
        <Folded isTall>
          <MessageBody content={answer} look="markdown" />
        </Folded>
      )}
      {error && finishedAt !== null && (
        <p className="text-bad">
          {error.message} <span className="font-mono text-xs">{error.code}</span>
        </p>
      )}
      {returned && <p className="text-xs text-muted">{notes[returned]}</p>}
    </article>
  );
}
