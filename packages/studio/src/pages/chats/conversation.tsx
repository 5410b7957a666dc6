import type { RouteReply } from "galley/api";
import { type ReactElement, memo, useMemo } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { Select } from "../../kit/fields.tsx";
import { useActiveRuns } from "./active-runs.ts";
import { ChatBox, ChatExamples } from "./chat-box.tsx";
import { matchRuns } from "./match-runs.ts";
import { MessageRow } from "./message-row.tsx";
import { modelChoices } from "./model-choices.ts";
import { isUnderWay } from "./run-view.ts";
import { RunningReply } from "./running-reply.tsx";
import { type ChatData, PagesHead, useChatPages, useStickToEnd } from "./chat-pages.tsx";
import { showProblem } from "../../kit/notices.tsx";

interface ConversationProps {
  readonly chat: string;
  readonly data: ChatData | undefined;
}

/** A chat with at most this many messages may still need a hint. */
const young = 6;

/** The active context, the run under way, and the box that runs a turn. */
export function Conversation({ chat, data }: ConversationProps): ReactElement {
  const text = useText(chatsText);
  const pages = useChatPages("chats.active", chat);
  const run = useActiveRuns((state) => state.runs[chat]);
  const scroll = useStickToEnd(pages.messages.at(-1)?.id, run?.view.blocks, run?.input);
  const isRunning = run !== undefined && isUnderWay(run.view);
  const replaces = isRunning ? run.replaces : undefined;
  const shown = useMemo(() => {
    const cut = replaces === undefined ? -1 : pages.messages.findIndex(({ id }) => id === replaces);
    return cut < 0 ? pages.messages : pages.messages.slice(0, cut);
  }, [pages.messages, replaces]);
  const info = useApi("info.get", {});
  const isDemo = data !== undefined && (data.model ?? info.data?.defaultModel) === "demo";
  const isEmpty = !pages.isLoading && shown.length === 0 && !run;
  return (
    <section aria-label={text.conversation} className="flex min-h-0 min-w-0 flex-1 flex-col max-lg:min-h-96">
      <ChatSettings chat={chat} data={data} />
      <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto" data-conversation>
        <PagesHead pages={pages} />
        {isEmpty && <ChatExamples chat={chat} isDemo={isDemo} />}
        <Messages chat={chat} session={data?.session} messages={shown} isRunning={isRunning} />
        {run && <RunningReply chat={chat} run={run} />}
      </div>
      <ChatBox
        chat={chat}
        isRunning={isRunning}
        hasExamples={isDemo && !isRunning && !isEmpty && shown.length <= young}
      />
    </section>
  );
}

interface MessagesProps {
  readonly chat: string;
  readonly session: string | undefined;
  readonly messages: ReturnType<typeof useChatPages>["messages"];
  readonly isRunning: boolean;
}

const Messages = memo(function Messages({ chat, session, messages, isRunning }: MessagesProps): ReactElement {
  const runs = useApi("runs.list", { query: { chat, limit: 200 } }, { keepPrevious: true });
  const calls = useApi(
    "sessions.get",
    { params: { id: session ?? "" } },
    { isEnabled: session !== undefined && (runs.data?.runs.length ?? 0) > 0, keepPrevious: true },
  );
  const matches = useMemo(() => matchRuns(messages, runs.data?.runs ?? []), [messages, runs.data]);
  const lastReply = messages.findLastIndex(({ role }) => role === "assistant");
  return (
    <ol>
      {messages.map((message, index) => (
        // A message's id is made of what it says; the same one may stand twice.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={`${message.id} ${index}`}>
          <MessageRow
            chat={chat}
            message={message}
            run={matches.get(message.id)}
            calls={calls.data?.calls}
            isLastReply={index === lastReply && index === messages.length - 1}
            isRunning={isRunning}
          />
        </li>
      ))}
    </ol>
  );
});

const byDefault = "(default)";

/** Which model and which preset the chat uses; a model that cannot be used says what is missing. */
function ChatSettings({ chat, data }: { readonly chat: string; readonly data: ChatData | undefined }): ReactElement {
  const text = useText(chatsText);
  const info = useApi("info.get", {});
  const models = useApi("models.list", {});
  const presets = useApi("presets.list", {});
  const configure = useAction("chats.settings");
  const set = (body: { model?: string | null; preset?: string | null }): void =>
    configure.mutate({ params: { key: chat }, body }, { onError: showProblem });
  const chosen = models.data?.models.find(({ id }) => id === (data?.model ?? info.data?.defaultModel));
  const names = presets.data?.presets ?? [];
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Select
          inline
          label={text.model}
          options={[
            { id: byDefault, label: text.defaultModel(info.data?.defaultModel ?? "…") },
            ...modelChoices(models.data?.models ?? [], data?.model).map(({ id, usable }) => ({
              id,
              label: id,
              ...(!usable && { note: text.unusable }),
            })),
          ]}
          value={data ? (data.model ?? byDefault) : undefined}
          onChange={(id) => set({ model: id === byDefault ? null : id })}
        />
        <Select
          inline
          label={text.preset}
          options={[
            { id: byDefault, label: text.noPreset },
            ...names.map(({ id, name }) => ({ id, label: name || id })),
          ]}
          value={data ? (data.preset ?? byDefault) : undefined}
          onChange={(id) => set({ preset: id === byDefault ? null : id })}
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
  const text = useText(chatsText);
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md bg-warn-soft px-3 py-1.5">
      <span className="font-medium text-warn">{text.modelUnusable(model.id)}</span>
      <span className="min-w-0">{model.why}</span>
      <Button size="small" onPress={onDemo}>
        {text.useDemo}
      </Button>
    </div>
  );
}
