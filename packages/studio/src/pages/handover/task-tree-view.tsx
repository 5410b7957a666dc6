import type { TaskTree } from "galley/api";
import { type ReactElement, useState } from "react";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { showToast, useDeed, useLoaded } from "../../kit/notices.tsx";
import { TaskStatus } from "../../kit/task-status.tsx";
import { jsonText, messageText } from "../../message/message-blocks.ts";
import { MessageBody } from "../../message/message-body.tsx";
import { Named } from "../../message/named.tsx";
import { AboutPlace, Giver } from "./giver.tsx";

/** A task as a tree: each task with its state, its task, what it saw and what it gave. */
export function TaskTreeView({ root }: { readonly root: string }): ReactElement {
  const text = useText(handoverText);
  const { data, pending } = useLoaded("tasks.get", { params: { id: root } }, { pollMs: 5000 });
  if (pending) return pending;
  return (
    <ul aria-label={text.tree} className="flex flex-col gap-3">
      <TaskItem task={data} root={root} />
    </ul>
  );
}

function TaskItem({ task, root }: { readonly task: TaskTree; readonly root: string }): ReactElement {
  const text = useText(handoverText);
  const { children, result, error } = task;
  const answer = resultText(result);
  return (
    <li data-task={task.taskId}>
      <article
        aria-label={task.instruction}
        className="flex flex-col gap-2 rounded-md border border-line bg-raised p-3"
      >
        <TaskHead task={task} isRoot={task.taskId === root} />
        <p className="max-w-[80ch] font-medium break-words whitespace-pre-wrap">{task.instruction}</p>
        {answer !== "" && (
          <div>
            <p className="text-muted">{text.result}</p>
            <div className="max-h-96 max-w-[80ch] overflow-y-auto">
              <MessageBody content={answer} look="markdown" />
            </div>
          </div>
        )}
        {error && (
          <p className="text-bad">
            {text.error}: {error.message} <span className="font-mono text-xs">{error.code}</span>
          </p>
        )}
        <div className="flex flex-wrap gap-x-5 gap-y-1 text-xs">
          <BoxLink label={text.saw} box={task.context} root={root} />
          {task.earlier.cards > 0 && <BoxLink label={text.sawEarlier} box={task.earlier} root={root} />}
          <BoxLink label={text.gave} box={task.output} root={root} />
        </div>
        <TaskBuildView taskId={task.taskId} />
      </article>
      {children.length > 0 && (
        <ul
          aria-label={text.children(children.length)}
          className="mt-3 ml-3 flex flex-col gap-3 border-l-2 border-line pl-3"
        >
          {children.map((child) => (
            <TaskItem key={child.taskId} task={child} root={root} />
          ))}
        </ul>
      )}
    </li>
  );
}

interface TaskHeadProps {
  readonly task: TaskTree;
  readonly isRoot: boolean;
}

function TaskHead({ task, isRoot }: TaskHeadProps): ReactElement {
  const text = useText(handoverText);
  const formats = useFormats();
  const cancel = useDeed("tasks.cancel");
  const { taskId, agentId, profileName, startedBy, place, status, attempt, startedAt, finishedAt, createdAt } = task;
  const isOpen = finishedAt === null;
  const seconds = finishedAt !== null && startedAt !== null ? ((finishedAt - startedAt) / 1000).toFixed(1) : undefined;
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <TaskStatus status={status} />
      <h2 className="font-semibold">
        <Named id={agentId} name={profileName ?? text.anAgent} />
      </h2>
      {isRoot && (
        <span className="text-xs text-muted">
          {text.by} <Giver id={startedBy} /> <AboutPlace place={place} startedBy={startedBy} />
        </span>
      )}
      <span className="text-xs text-muted">
        {seconds === undefined ? text.since(formats.dateTime(startedAt ?? createdAt)) : text.took(`${seconds} s`)}
        {attempt > 1 && ` · ${text.attempt(attempt)}`}
      </span>
      {isOpen && (
        <span className="ml-auto">
          <Button
            size="small"
            onPress={() => cancel.run({ params: { id: taskId } }, () => showToast({ text: text.cancelled }))}
          >
            {text.cancel}
          </Button>
        </span>
      )}
    </header>
  );
}

interface BoxLinkProps {
  readonly label: string;
  readonly box: TaskTree["context"];
  readonly root: string;
}

function BoxLink({ label, box, root }: BoxLinkProps): ReactElement {
  const text = useText(handoverText);
  const formats = useFormats();
  return (
    <span>
      <span className="text-muted">{label}: </span>
      <Link href={pathTo("boxes", { id: box.boxId }, { task: root })}>
        {text.cards(box.cards)}, {text.tokens(formats.number(box.tokens))}
      </Link>
    </span>
  );
}

function resultText(result: unknown): string {
  if (result === null || result === undefined) return "";
  // Fields that were asked for are data, and stand as such.
  return typeof result === "string" ? result : `\`\`\`json\n${jsonText(result)}\n\`\`\``;
}

/** The messages that the model of a task reads; asked for when somebody wants to see them. */
function TaskBuildView({ taskId }: { readonly taskId: string }): ReactElement {
  const text = useText(handoverText);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex flex-col items-start gap-2">
      <Button size="small" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
        {isOpen ? text.hideBuild : text.showBuild}
      </Button>
      {isOpen && <Messages taskId={taskId} />}
    </div>
  );
}

function Messages({ taskId }: { readonly taskId: string }): ReactElement {
  const text = useText(handoverText);
  const formats = useFormats();
  const { data, pending } = useLoaded("tasks.build", { params: { id: taskId } });
  if (pending) return pending;
  const { call, model, stats } = data;
  const messages = data.messages.map((message, index) => ({ message, key: `${index} ${message.role}` }));
  return (
    <>
      <p className="text-xs text-muted">
        {call ? (
          <Link href={pathTo("call", { id: `task:${taskId}`, n: String(call.n) })}>
            {text.readInCall(call.callOfTurn)}
          </Link>
        ) : (
          text.notRead
        )}{" "}
        · {model} · {text.tokens(formats.number(stats.inputTokens))}
      </p>
      <ol aria-label={text.showBuild} className="w-full divide-y divide-line rounded-md border border-line bg-canvas">
        {messages.map(({ message, key }) => (
          <li key={key} className="px-3 py-2">
            <p className="font-mono text-xs font-semibold">{message.role}</p>
            <p className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">
              {messageText(message.content)}
            </p>
          </li>
        ))}
        <li className="px-3 py-2 font-mono text-xs break-all text-muted">{data.digest}</li>
      </ol>
    </>
  );
}
