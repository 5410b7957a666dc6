import { Download, MessagesSquare, ScrollText, Trash2, Waypoints } from "lucide-react";
import { type ReactElement, useEffect } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { navigate, useQueryState } from "../../frame/location.tsx";
import { Crumbs, Page } from "../../frame/page.tsx";
import { type PageParams, pathTo } from "../../frame/routes.ts";
import { chatActionsText } from "../../i18n/chat-actions.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { IconButton } from "../../kit/button.tsx";
import { Menu } from "../../kit/menu.tsx";
import { EmptyState, ErrorNotice, showProblem, showToast } from "../../kit/notices.tsx";
import { ChatOfPictures } from "../../message/message-body.tsx";
import { downloadJson, downloadText } from "../../browser/download.ts";
import { resumeRun, showFailed } from "./active-runs.ts";
import { ChatList } from "./chat-list.tsx";
import { ChatTitle } from "./chat-title.tsx";
import { ArchivedContext, Transcript } from "./transcript.tsx";
import type { ChatMessage } from "./chat-pages.tsx";
import { ContextPanel } from "./context-panel.tsx";
import { Conversation } from "./conversation.tsx";
import { Ask } from "../../kit/dialog.tsx";
import { pagesBack } from "../../api/pages-back.ts";
import { messageText } from "../../message/message-blocks.ts";

/** Without a chat the list of them; with one, its active context with a box to go on with it. */
export function ChatsPage({ params: { key: chat } }: PageParams<"chats">): ReactElement {
  if (chat === undefined) return <AllChats />;
  return (
    <ChatOfPictures value={chat}>
      <ChatView key={chat} chat={chat} />
    </ChatOfPictures>
  );
}

function AllChats(): ReactElement {
  const text = useText(chatsText);
  const { data } = useApi("chats.list", {});
  return (
    <Page title={text.title}>
      <div className="mx-auto flex max-w-2xl flex-col gap-4">
        {data?.chats.length === 0 && (
          <EmptyState icon={MessagesSquare} title={text.noneTitle}>
            {text.noneBody}
          </EmptyState>
        )}
        <ChatList />
      </div>
    </Page>
  );
}

/** One chat: its contexts, what is in the active one with a box to go on, and the transcript beside it. */
function ChatView({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const { query, setQuery } = useQueryState();
  const { data, error, refetch } = useApi("chats.get", { params: { key: chat } });
  useRunUnderWay(chat);
  useLastFailure(chat);
  const context = query["context"];
  const hasTranscript = query["transcript"] === "1";
  return (
    <Page
      layout="fill"
      title={text.title}
      header={
        <Crumbs label={text.allChats} href={pathTo("chats", {})}>
          <ChatTitle chat={chat} data={data} />
        </Crumbs>
      }
      actions={
        <>
          <IconButton
            label={hasTranscript ? text.hideTranscript : text.transcript}
            look={hasTranscript ? "plain" : "quiet"}
            onPress={() => setQuery({ transcript: hasTranscript ? undefined : 1 })}
            icon={ScrollText}
          />
          {data?.exists && (
            <IconButton
              label={text.handOver}
              icon={Waypoints}
              onPress={() => navigate(pathTo("boxes", {}, { from: data.session }))}
            />
          )}
          {data?.exists && <ExportChat chat={chat} />}
          {data?.exists && <DeleteChat chat={chat} />}
        </>
      }
    >
      {error && (
        <div className="p-4">
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        </div>
      )}
      <div className="flex min-h-0 flex-1 max-lg:flex-col max-lg:overflow-y-auto">
        <aside className="flex w-60 shrink-0 flex-col border-r border-line p-3 max-lg:hidden">
          <ChatList open={chat} />
        </aside>
        {context === undefined ? (
          <Conversation chat={chat} data={data} message={query["message"]} />
        ) : (
          <ArchivedContext chat={chat} contextId={context} message={query["message"]} />
        )}
        {/* One at a time: three columns leave a conversation room to be read. */}
        {hasTranscript ? <Transcript chat={chat} /> : data && <ContextPanel chat={chat} data={data} />}
      </div>
    </Page>
  );
}

/** Shows a run that somebody else has started, or that was under way when the page was loaded. */
function useRunUnderWay(chat: string): void {
  const { data } = useApi("runs.list", { query: { chat, status: "running", limit: 1 } });
  const runId = data?.runs[0]?.runId;
  useEffect(() => {
    if (runId !== undefined) resumeRun(chat, runId);
  }, [chat, runId]);
}

/** The time of a question is chosen a moment before its run is stored. */
const slack = 5000;

/** A question whose run failed is in the transcript only [W11]: it stays in sight until somebody goes on. */
function useLastFailure(chat: string): void {
  const run = useApi("runs.list", { query: { chat, limit: 1 } }).data?.runs[0];
  const isFailed = run?.status === "failed";
  const transcript = useApi(
    "chats.transcript",
    { params: { key: chat }, query: { limit: 1 } },
    { isEnabled: isFailed },
  );
  const last = transcript.data?.messages.at(-1);
  useEffect(() => {
    const isOpen = isFailed && last?.role === "user" && last.ts >= run.startedAt - slack;
    if (isOpen) showFailed(chat, run, last.content);
  }, [chat, isFailed, run, last]);
}

/** The whole transcript as a file: to read, or for a program. */
function ExportChat({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatActionsText);
  const words = useText(chatsText);
  const save = (toFile: (messages: readonly ChatMessage[]) => void) => () =>
    void readTranscript(chat).then(toFile).catch(showProblem);
  return (
    <Menu
      label={text.exportChat}
      trigger={<IconButton label={text.exportChat} icon={Download} />}
      groups={[
        [
          {
            label: text.exportMarkdown,
            onAction: save((messages) =>
              downloadText(`${chat}.md`, chatMarkdown(chat, messages, words), "text/markdown"),
            ),
          },
          { label: text.exportJson, onAction: save((messages) => downloadJson(`${chat}.json`, { chat, messages })) },
        ],
      ]}
    />
  );
}

function DeleteChat({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const remove = useAction("chats.delete");
  return (
    <Ask
      by={(ask) => <IconButton label={text.deleteChat} onPress={ask} icon={Trash2} />}
      title={text.deleteChatTitle}
      confirm={text.delete}
      isDangerous
      onConfirm={async () => {
        const { removedCopies } = await remove.mutateAsync({ params: { key: chat }, query: { confirm: chat } });
        showToast({ text: text.deleted(removedCopies.length > 0) });
        navigate(pathTo("chats", {}));
      }}
    >
      {text.deleteChatBody(chat)}
    </Ask>
  );
}

const pageSize = 500;

/** Everything that was said in a chat, oldest first, however much it is. */
async function readTranscript(key: string): Promise<readonly ChatMessage[]> {
  const pages: (readonly ChatMessage[])[] = [];
  for await (const page of pagesBack("chats.transcript", key, pageSize)) pages.unshift(page);
  return pages.flat();
}

interface MarkdownWords {
  readonly you: string;
  readonly assistant: string;
}

/** A chat as a page to read or to pass on: who said what, when. */
function chatMarkdown(chat: string, messages: readonly ChatMessage[], words: MarkdownWords): string {
  const parts = messages.map(({ role, ts, content }) => {
    const speaker = role === "user" ? words.you : words.assistant;
    return `## ${speaker} · ${new Date(ts).toISOString()}\n\n${messageText(content)}\n`;
  });
  return [`# ${chat}\n`, ...parts].join("\n");
}
