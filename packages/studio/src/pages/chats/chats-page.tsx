import type { RouteReply } from "galley/api";
import { MessagesSquare, PanelRight, Trash2 } from "lucide-react";
import { type ReactElement, useEffect, useState } from "react";
import { Form } from "react-aria-components";
import { useAction, useApi } from "../../api/use-api.ts";
import { Link, navigate, useQueryState } from "../../frame/location.tsx";
import { Crumbs, Page } from "../../frame/page.tsx";
import { type PageParams, pathTo } from "../../frame/routes.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { SearchField, TextField } from "../../kit/fields.tsx";
import { EmptyState, ErrorNotice, showToast, useLoaded } from "../../kit/notices.tsx";
import { resumeRun } from "./active-runs.ts";
import { ArchivedContext, Transcript } from "./transcript.tsx";
import { ContextPanel } from "./context-panel.tsx";
import { Conversation } from "./conversation.tsx";
import { AskDialog } from "../../kit/dialog.tsx";

/** Without a chat the list of them; with one, its active context with a box to go on with it. */
export function ChatsPage({ params: { key: chat } }: PageParams<"chats">): ReactElement {
  return chat === undefined ? <ChatList /> : <ChatView key={chat} chat={chat} />;
}

type ChatItem = RouteReply<"chats.list">["chats"][number];

function ChatList(): ReactElement {
  const text = useText(chatsText);
  const { data, pending } = useLoaded("chats.list", {});
  const [wanted, setWanted] = useState("");
  const needle = wanted.trim().toLowerCase();
  const shown = data?.chats.filter(({ key, preview }) => `${key} ${preview}`.toLowerCase().includes(needle)) ?? [];
  return (
    <Page title={text.title}>
      <div className="flex flex-col gap-4">
        {pending}
        {data?.chats.length === 0 && (
          <EmptyState icon={<MessagesSquare aria-hidden size={28} />} title={text.noneTitle}>
            {text.noneBody}
          </EmptyState>
        )}
        <NewChat />
        {data && data.chats.length > 0 && (
          <>
            <SearchField label={text.search} value={wanted} onChange={setWanted} isPageSearch />
            {shown.length === 0 && <p className="text-muted">{text.noMatch}</p>}
            <ul className="flex flex-col gap-2">
              {shown.map((chat) => (
                <li key={chat.key}>
                  <ChatLine chat={chat} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Page>
  );
}

/** Opens the chat of the given name; it comes to be with the first thing that is said in it. */
function NewChat(): ReactElement {
  const text = useText(chatsText);
  const [name, setName] = useState("");
  return (
    <Form
      className="mx-auto flex w-full max-w-md items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim()) navigate(pathTo("chats", { key: name.trim() }));
      }}
    >
      <TextField
        className="flex-1"
        aria-label={text.chatName}
        placeholder={text.chatName}
        description={text.chatNameHint}
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <Button type="submit" look="primary" isDisabled={!name.trim()}>
        {text.open}
      </Button>
    </Form>
  );
}

function ChatLine({ chat }: { readonly chat: ChatItem }): ReactElement {
  const text = useText(chatsText);
  const { number, dateTime } = useFormats();
  return (
    <Link
      href={pathTo("chats", { key: chat.key })}
      className="flex flex-col gap-0.5 rounded-md border border-line px-3 py-2 hover:bg-sunken"
    >
      <span className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-semibold">{chat.key}</span>
        <span className="text-xs text-muted">
          {text.contexts}: {number(chat.contexts)}
        </span>
        <span className="ml-auto text-xs text-muted">{dateTime(chat.updatedAt)}</span>
      </span>
      {chat.preview && <span className="line-clamp-2 text-muted">{chat.preview}</span>}
    </Link>
  );
}

/** One chat: its contexts, what is in the active one with a box to go on, and the transcript beside it. */
function ChatView({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const { query, setQuery } = useQueryState();
  const { data, error, refetch } = useApi("chats.get", { params: { key: chat } });
  useRunUnderWay(chat);
  const context = query["context"];
  const hasTranscript = query["transcript"] === "1";
  return (
    <Page
      layout="fill"
      title={text.title}
      header={
        <Crumbs label={text.allChats} href={pathTo("chats", {})}>
          <span className="font-semibold wrap-anywhere">{chat}</span>
        </Crumbs>
      }
      actions={
        <>
          <IconButton
            label={hasTranscript ? text.hideTranscript : text.transcript}
            look={hasTranscript ? "plain" : "quiet"}
            onPress={() => setQuery({ transcript: hasTranscript ? undefined : 1 })}
            icon={PanelRight}
          />
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
        {data && <ContextPanel chat={chat} data={data} />}
        {context === undefined ? (
          <Conversation chat={chat} data={data} />
        ) : (
          <ArchivedContext chat={chat} contextId={context} />
        )}
        {hasTranscript && <Transcript chat={chat} />}
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

function DeleteChat({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const [isOpen, setIsOpen] = useState(false);
  const remove = useAction("chats.delete");
  return (
    <>
      <IconButton label={text.deleteChat} onPress={() => setIsOpen(true)} icon={Trash2} />
      {isOpen && (
        <AskDialog
          title={text.deleteChatTitle}
          confirm={text.delete}
          isDangerous
          onClose={() => setIsOpen(false)}
          onConfirm={async () => {
            const { removedCopies } = await remove.mutateAsync({ params: { key: chat }, query: { confirm: chat } });
            showToast({ text: text.deleted(removedCopies.length > 0) });
            navigate(pathTo("chats", {}));
          }}
        >
          {text.deleteChatBody(chat)}
        </AskDialog>
      )}
    </>
  );
}
