import type { RouteReply } from "galley/api";
import { ArrowDown } from "lucide-react";
import { type ReactElement, memo, useLayoutEffect, useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { Link, useQueryState } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { chatListText } from "../../i18n/chat-list.ts";
import { chatsText } from "../../i18n/chats.ts";
import { frameText } from "../../i18n/frame.ts";
import { usabilityText } from "../../i18n/usability.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { useActiveRuns } from "./shown-runs.ts";
import { ChatBox, ChatExamples, useDropTarget } from "./chat-box.tsx";
import { isReplyStored, matchRuns } from "./match-runs.ts";
import { MessageRow } from "./message-row.tsx";
import { isUnderWay } from "./run-view.ts";
import { RunningReply } from "./running-reply.tsx";
import { isUnsettled, matchTasks } from "./match-tasks.ts";
import { type ChatTask, TaskCards, useChatTasks } from "./task-cards.tsx";
import { MessagesAround, useFound } from "./messages-around.tsx";
import { type ChatData, PagesHead, useChatPages, useStickToEnd } from "./chat-pages.tsx";
import { useDeed } from "../../kit/notices.tsx";
import { ModelBox } from "../../place/model-box.tsx";
import { PresetSelect } from "../../place/preset-select.tsx";

interface ConversationProps {
  readonly chat: string;
  readonly data: ChatData | undefined;
  /** The one that was searched for. */
  readonly message: string | undefined;
}

/** A chat with at most this many messages may still need a hint. */
const young = 6;

/** The active context, the run under way, and the box that runs a turn. */
export function Conversation({ chat, data, message: found }: ConversationProps): ReactElement {
  const text = useText(chatsText);
  const list = useText(chatListText);
  const pages = useChatPages("chats.active", chat);
  const run = useActiveRuns((state) => state.runs[chat]);
  const { scroll, hasNew, toEnd } = useStickToEnd(pages.messages.at(-1)?.id, run?.view.blocks, run?.input);
  const { isFar, around } = useFound(chat, found, pages, scroll);
  useShowSaid(run?.input, isFar, toEnd);
  const isRunning = run !== undefined && isUnderWay(run.view);
  const replaces = isRunning ? run.replaces : undefined;
  const shown = useMemo(() => {
    const cut = replaces === undefined ? -1 : pages.messages.findIndex(({ id }) => id === replaces);
    return cut < 0 ? pages.messages : pages.messages.slice(0, cut);
  }, [pages.messages, replaces]);
  const info = useApi("info.get", {});
  const isDemo = data !== undefined && (data.model ?? info.data?.defaultModel) === "demo";
  const isEmpty = !pages.isLoading && shown.length === 0 && !run;
  const common = { chat, session: data?.session, found, isRunning };
  return (
    <section
      aria-label={text.conversation}
      className="flex min-h-0 min-w-0 flex-1 flex-col max-lg:min-h-96"
      {...useDropTarget(chat)}
    >
      <h2 className="sr-only">{text.conversation}</h2>
      <ChatSettings chat={chat} data={data} />
      <div ref={scroll} className="relative min-h-0 flex-1 overflow-y-auto" data-conversation>
        {isFar ? (
          <MessagesAround around={around}>
            <Messages {...common} messages={around.messages} />
          </MessagesAround>
        ) : (
          <>
            <PagesHead pages={pages} />
            {isEmpty && <ChatExamples chat={chat} isDemo={isDemo} />}
            <Messages {...common} messages={shown} runId={run?.view.runId} />
            {run && !isReplyStored(run.view, shown.at(-1)) && <RunningReply chat={chat} run={run} />}
            <TasksLeft chat={chat} messages={shown} hasEarlier={pages.hasEarlier} runId={run?.view.runId} />
          </>
        )}
        {hasNew && (
          <div className="sticky bottom-2 flex justify-center">
            <Button size="small" look="primary" icon={ArrowDown} onPress={toEnd}>
              {list.newMessages}
            </Button>
          </div>
        )}
      </div>
      <ChatBox
        chat={chat}
        isRunning={isRunning}
        hasExamples={isDemo && !isRunning && !isEmpty && shown.length <= young}
      />
    </section>
  );
}

/** What was just said is in sight, wherever somebody was reading. */
function useShowSaid(input: unknown, isFar: boolean, toEnd: () => void): void {
  const { setQuery } = useQueryState();
  useLayoutEffect(() => {
    if (input === undefined) return;
    if (isFar) setQuery({ message: undefined });
    toEnd();
    // oxlint-disable-next-line react/exhaustive-deps -- once for each thing that is said
  }, [input, toEnd]);
}

interface MessagesProps {
  readonly chat: string;
  readonly session: string | undefined;
  readonly messages: ReturnType<typeof useChatPages>["messages"];
  readonly found?: string | undefined;
  readonly isRunning: boolean;
  /** The run that stands below shows its tasks itself. */
  readonly runId?: string | undefined;
}

const Messages = memo(function Messages(props: MessagesProps): ReactElement {
  const { chat, session, messages, found, isRunning, runId } = props;
  const runs = useApi("runs.list", { query: { chat, limit: 200 } }, { keepPrevious: true });
  const calls = useApi(
    "sessions.get",
    { params: { id: session ?? "" } },
    { isEnabled: session !== undefined && (runs.data?.runs.length ?? 0) > 0, keepPrevious: true },
  );
  const matches = useMemo(() => matchRuns(messages, runs.data?.runs ?? []), [messages, runs.data]);
  const tasks = useChatTasks(chat);
  const { byReply } = useMemo(
    () =>
      matchTasks(
        messages,
        tasks.filter((task) => !isOfRun(task, runId)),
      ),
    [messages, tasks, runId],
  );
  const lastReply = messages.at(-1)?.role === "assistant" ? messages.length - 1 : -1;
  const question = messages.findLast(({ role }) => role === "user")?.id;
  return (
    <ol>
      {messages.map((message, index) => (
        // A message's id is made of what it says; the same one may stand twice. Another answer to the last question takes the
        // place of the one before, and with it the focus; the answer to another question has a row of its own.
        <li key={index === lastReply ? `reply to ${question}` : `${message.id} ${index}`}>
          <MessageRow
            chat={chat}
            message={message}
            isFound={message.id === found}
            run={matches.get(message.id)}
            calls={calls.data?.calls}
            tasks={byReply.get(index) ?? noTasks}
            answers={index === lastReply ? question : undefined}
            isLast={index >= messages.length - 2}
            isRunning={isRunning}
          />
        </li>
      ))}
    </ol>
  );
});

const noTasks: readonly ChatTask[] = [];

const isOfRun = ({ turnId }: ChatTask, runId: string | undefined): boolean => turnId !== null && turnId === runId;

interface TasksLeftProps extends Pick<MessagesProps, "chat" | "messages" | "runId"> {
  readonly hasEarlier: boolean;
}

/** What the person handed over with this chat, and tasks whose reply was edited away or stands in another topic. */
function TasksLeft({ chat, messages, hasEarlier, runId }: TasksLeftProps): ReactElement {
  const text = useText(chatsText);
  const all = matchTasks(messages, useChatTasks(chat)).left.filter(
    (task) => !isOfRun(task, runId) && (!hasEarlier || task.returned === "kept" || isUnsettled(task)),
  );
  const given = all.filter(({ startedBy }) => startedBy === "person");
  const left = all.filter(({ startedBy }) => startedBy !== "person");
  return (
    <>
      {given.length > 0 && (
        <section aria-label={text.tasksGiven} className="border-b border-line px-4 py-2.5">
          <h3 className="font-semibold">{text.tasksGiven}</h3>
          <TaskCards tasks={given} />
        </section>
      )}
      {left.length > 0 && (
        <details open={left.some(isUnsettled)} className="border-b border-line px-4 py-2.5">
          <summary className="text-muted">
            {text.tasksLeft} ({left.length})
          </summary>
          <TaskCards tasks={left} />
        </details>
      )}
    </>
  );
}

/** Which model and which preset the chat uses; a model that cannot be used says what is missing. */
function ChatSettings({ chat, data }: { readonly chat: string; readonly data: ChatData | undefined }): ReactElement {
  const text = useText(chatsText);
  const info = useApi("info.get", {});
  const models = useApi("models.list", {});
  const configure = useDeed("chats.settings");
  const set = (body: { model?: string | null; preset?: string | null }): void =>
    configure.run({ params: { key: chat }, body });
  const chosen = models.data?.models.find(({ id }) => id === (data?.model ?? info.data?.defaultModel));
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-2">
      <div className="flex items-center gap-x-4 max-md:gap-x-2">
        <ModelBox
          label={text.model}
          value={data?.model ?? ""}
          onChange={(model) => set({ model: model || null })}
          byDefault={text.defaultModel(info.data?.defaultModel ?? "…")}
        />
        <PresetSelect
          inline
          label={text.preset}
          none={text.noPreset}
          value={data && (data.preset ?? "")}
          onChange={(preset) => set({ preset: preset || null })}
        />
      </div>
      {chosen && !chosen.usable && <Unusable model={chosen} onDemo={() => set({ model: "demo" })} />}
    </div>
  );
}

interface UnusableProps {
  readonly model: RouteReply<"models.list">["models"][number];
  readonly onDemo: () => void;
}

function Unusable({ model, onDemo }: UnusableProps): ReactElement {
  const told = useText(usabilityText);
  const frame = useText(frameText);
  const text = useText(chatsText);
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-soft px-3 py-1.5">
      <span className="font-medium text-warn">{text.modelUnusable(model.id)}</span>
      <span className="min-w-0">{told.why(model.why)}</span>
      <Link href={pathTo("settings", {})}>{frame.settings}</Link>
      <Button size="small" onPress={onDemo}>
        {text.useDemo}
      </Button>
    </div>
  );
}
