import { PanelRight, Trash2 } from "lucide-react";
import { type ReactElement, useEffect, useState } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { Link } from "../../frame/link.tsx";
import { navigate, useQueryState } from "../../frame/navigation-state.ts";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { IconButton } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { showToast } from "../../kit/toast.tsx";
import { resumeRun } from "./active-runs.ts";
import { ArchivedContext } from "./archived-context.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { ContextPanel } from "./context-panel.tsx";
import { Conversation } from "./conversation.tsx";
import { Transcript } from "./transcript.tsx";

/** One chat: its contexts, what is in the active one with a box to go on, and the transcript beside it. */
export function ChatView({ chat }: { readonly chat: string }): ReactElement {
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
        <nav aria-label={text.allChats} className="flex min-w-0 flex-wrap items-center gap-2">
          <Link href={pathTo("chats", {})}>{text.allChats}</Link>
          <span aria-hidden className="text-muted">
            /
          </span>
          <span className="font-semibold wrap-anywhere">{chat}</span>
        </nav>
      }
      actions={
        <>
          <IconButton
            label={hasTranscript ? text.hideTranscript : text.transcript}
            look={hasTranscript ? "plain" : "quiet"}
            onPress={() => setQuery({ transcript: hasTranscript ? undefined : 1 })}
          >
            <PanelRight aria-hidden size={16} />
          </IconButton>
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
      <IconButton label={text.deleteChat} onPress={() => setIsOpen(true)}>
        <Trash2 aria-hidden size={16} />
      </IconButton>
      <ConfirmDialog
        title={text.deleteChatTitle}
        body={text.deleteChatBody(chat)}
        confirm={text.delete}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        onConfirm={async () => {
          const { removedCopies } = await remove.mutateAsync({ params: { key: chat }, query: { confirm: chat } });
          showToast({ text: text.deleted(removedCopies.length > 0) });
          navigate(pathTo("chats", {}));
        }}
      />
    </>
  );
}
