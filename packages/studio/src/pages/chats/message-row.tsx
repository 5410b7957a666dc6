import type { RouteReply } from "galley/api";
import { EyeOff, GitFork, Pencil, RefreshCw, ScanSearch } from "lucide-react";
import type { ReactElement } from "react";
import { useAction } from "../../api/use-api.ts";
import { Link, navigate } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { chatActionsText } from "../../i18n/chat-actions.ts";
import { chatListText } from "../../i18n/chat-list.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { classes } from "../../kit/classes.ts";
import { TextField } from "../../kit/fields.tsx";
import { Folded } from "../../kit/folded.tsx";
import { Form } from "../../kit/form.tsx";
import { showProblem, showToast, useDeed } from "../../kit/notices.tsx";
import { CopyButton } from "../../message/copy-button.tsx";
import { messageText } from "../../message/message-blocks.ts";
import { MessageBody } from "../../message/message-body.tsx";
import { regenerate, sendEdit } from "./active-runs.ts";
import { Tag } from "../../kit/tag.tsx";
import { useActiveRuns } from "./shown-runs.ts";
import { namesBeside, typedText } from "./attachments.ts";
import { focusBox } from "./chat-box.tsx";
import { AlternateArrows } from "./alternate-arrows.tsx";
import { PinButton, PinMark, usePins } from "./pins.tsx";
import { useChatTitle } from "./chat-title.tsx";
import { ChatBubble } from "./transcript.tsx";
import { type Draft, dropDraft, editKey, setDraft, useDraft } from "./drafts.ts";
import type { MatchedRun } from "./match-runs.ts";
import { RunSteps } from "./running-reply.tsx";
import { type ChatTask, TaskCards } from "./task-cards.tsx";
import type { ChatMessage } from "./chat-pages.tsx";
import { Ask } from "../../kit/dialog.tsx";

export interface MessageRowProps {
  readonly chat: string;
  readonly message: ChatMessage;
  /** Somebody searched for it. */
  readonly isFound: boolean;
  /** The run that gave it, where it is known. */
  readonly run: MatchedRun | undefined;
  readonly calls: RouteReply<"sessions.get">["calls"] | undefined;
  /** What that run has handed over. */
  readonly tasks: readonly ChatTask[];
  /** The question that it answers, where it is the last reply. */
  readonly answers?: string | undefined;
  /** What can be done with it is always in sight; with the others, where the pointer or the focus is. */
  readonly isLast: boolean;
  readonly isRunning: boolean;
}

/** A message of the active context with what can be done with it. */
export function MessageRow(props: MessageRowProps): ReactElement {
  const { chat, message, isFound, run, calls, tasks, answers, isLast, isRunning } = props;
  const text = useText(chatsText);
  const draft = useDraft(editKey(chat, message.id));
  const isUser = message.role === "user";
  const view = useActiveRuns((state) => (run ? state.finished[run.runId] : undefined));
  const isPinned = usePins(chat).some(({ id }) => id === message.id);
  const actions = (
    <>
      {answers !== undefined && (
        <>
          <AlternateArrows chat={chat} question={answers} answer={message} isDisabled={isRunning} />
          <Regenerate chat={chat} message={message} isDisabled={isRunning} />
        </>
      )}
      <span
        className={classes(
          "flex items-center",
          !isLast && "transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-fine:opacity-0",
        )}
      >
        {isUser && (
          <IconButton
            label={text.edit}
            size="small"
            isDisabled={isRunning}
            onPress={() => setDraft(editKey(chat, message.id), typedText(message.content))}
            icon={Pencil}
          />
        )}
        <CopyButton text={() => messageText(message.content)} />
        <PinButton chat={chat} messageId={message.id} isPinned={isPinned} />
        <Fork chat={chat} message={message} />
        <Redact chat={chat} message={message} />
      </span>
      {run && <InspectLink run={run} calls={calls} />}
    </>
  );
  return (
    <ChatBubble message={message} isFound={isFound} actions={actions}>
      {isPinned && <PinMark />}
      {view && <RunSteps view={view} tasks={tasks} />}
      {draft ? <Editor chat={chat} message={message} draft={draft} /> : <Said message={message} />}
      {message.isStopped && (
        <p className="mt-1.5 flex">
          <Tag tone="warn">{text.stopped}</Tag>
        </p>
      )}
      <TaskCards tasks={tasks} />
    </ChatBubble>
  );
}

/** A person may have sent whole files: their beginning says which. */
const longText = 3000;

function Said({ message: { role, content } }: Pick<MessageRowProps, "message">): ReactElement {
  const body = <MessageBody content={content} look={role === "user" ? "typed" : "markdown"} />;
  return role === "user" && messageText(content).length > longText ? <Folded isTall>{body}</Folded> : body;
}

/** To the call that this reply answers; the digest that Inspect shows as well is in its tooltip. */
function InspectLink({ run, calls }: Pick<MessageRowProps, "calls"> & { readonly run: MatchedRun }) {
  const text = useText(chatsText);
  const n = run.calls.at(-1);
  if (n === undefined) return null;
  const digest = calls?.find((call) => call.n === n)?.digest;
  return (
    <Link
      href={pathTo("call", { id: run.session, n: String(n) })}
      title={digest && text.digest(digest)}
      data-digest={digest}
      className="inline-flex h-7 items-center gap-1 rounded-md px-2 text-xs text-accent hover:bg-sunken"
    >
      <ScanSearch aria-hidden size={14} />
      <span className="max-md:sr-only">{text.inspectCall(n)}</span>
    </Link>
  );
}

interface EditorProps {
  readonly chat: string;
  readonly message: ChatMessage;
  readonly draft: Draft;
}

/** Open for as long as there is a draft: what the daemon did not take is in it again. */
function Editor({ chat, message, draft }: EditorProps): ReactElement {
  const text = useText(chatsText);
  const actions = useText(chatActionsText);
  const key = editKey(chat, message.id);
  const beside = namesBeside(message.content);
  return (
    <Form
      className="flex flex-col gap-2"
      onSubmit={() => {
        sendEdit(chat, message).catch(showProblem);
        focusBox();
      }}
    >
      <TextField
        autoFocus
        label={text.editLabel}
        rows={4}
        value={draft.text}
        onChange={(next) => setDraft(key, next)}
      />
      {beside.length > 0 && (
        <p className="text-xs text-muted">
          {actions.attached}: {beside.join(", ")}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" look="primary" size="small" isDisabled={!draft.text.trim()}>
          {text.editRun}
        </Button>
        <Button
          size="small"
          onPress={() => {
            dropDraft(key);
            focusBox();
          }}
        >
          {text.cancel}
        </Button>
      </div>
    </Form>
  );
}

interface RegenerateProps extends Pick<MessageRowProps, "chat" | "message"> {
  readonly isDisabled: boolean;
}

function Regenerate({ chat, message, isDisabled }: RegenerateProps): ReactElement {
  const text = useText(chatsText);
  const press = (): void => {
    regenerate(chat, message.id);
    // The button goes with the answer that is replaced.
    focusBox();
  };
  return <IconButton label={text.regenerate} size="small" isDisabled={isDisabled} onPress={press} icon={RefreshCw} />;
}

/** Another chat that begins with everything up to here. */
function Fork({ chat, message }: Pick<MessageRowProps, "chat" | "message">): ReactElement {
  const text = useText(chatListText);
  const title = useChatTitle(chat) ?? chat;
  const fork = useDeed("chats.fork");
  const begin = (): void =>
    fork.run({ params: { key: chat }, body: { message: message.id } }, ({ key }) => {
      showToast({ text: text.forked(title) });
      navigate(pathTo("chats", { key }));
    });
  return <IconButton label={text.fork} size="small" isDisabled={fork.isPending} onPress={begin} icon={GitFork} />;
}

function Redact({ chat, message }: Pick<MessageRowProps, "chat" | "message">): ReactElement {
  const text = useText(chatsText);
  const redact = useAction("chats.redact");
  return (
    <Ask
      by={(ask) => <IconButton label={text.redact} size="small" onPress={ask} icon={EyeOff} />}
      title={text.redactTitle}
      confirm={text.redact}
      isDangerous
      onConfirm={async () => {
        const { removedCopies } = await redact.mutateAsync({ params: { key: chat, id: message.id } });
        showToast({ text: text.redacted(removedCopies.length > 0) });
      }}
    >
      {text.redactBody}
    </Ask>
  );
}
