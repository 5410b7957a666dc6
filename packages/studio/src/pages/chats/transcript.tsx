import { type ReactElement, type ReactNode, useEffect, useRef } from "react";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { classes } from "../../kit/classes.ts";
import { When } from "../../kit/when.tsx";
import { MessageBody } from "../../message/message-body.tsx";
import { VirtualList, type VirtualListHandle } from "../../message/virtual-list.tsx";
import { ContextMenu, useLoad } from "./context-panel.tsx";
import { type ChatMessage, PagesHead, useChatPages, useStickToEnd } from "./chat-pages.tsx";
import { useLoaded } from "../../kit/notices.tsx";

interface ChatBubbleProps {
  /** One that is being said has neither id nor time yet. */
  readonly message: Pick<ChatMessage, "role"> & Partial<Omit<ChatMessage, "content">> & { readonly content: unknown };
  /** Somebody searched for it. */
  readonly isFound?: boolean;
  /** What can be done with it, at the right end of its head. */
  readonly actions?: ReactNode;
  /** Instead of what it says. */
  readonly children?: ReactNode;
}

/** One message of a chat: who said it, when, and what. */
export function ChatBubble({ message, isFound = false, actions, children }: ChatBubbleProps): ReactElement {
  const text = useText(chatsText);
  const isUser = message.role === "user";
  const speaker = message.said?.by ?? (isUser ? text.you : text.assistant);
  return (
    <article
      data-role={message.role}
      data-message={message.id}
      aria-current={isFound ? "true" : undefined}
      className={classes(
        "group border-b border-l-4 border-b-line px-4 py-2.5",
        isUser ? "border-l-edge" : "border-l-accent",
        isFound ? "bg-accent-soft" : isUser && "bg-raised",
      )}
    >
      <div className="mb-1 flex min-h-7 flex-wrap items-center gap-x-2">
        <h3 className="font-semibold">{message.summaryOf === undefined ? speaker : text.summaryMessage}</h3>
        {message.ts !== undefined && (
          <span className="text-xs text-muted">
            <When at={message.ts} />
          </span>
        )}
        {actions && <div className="ml-auto flex flex-wrap items-center gap-1">{actions}</div>}
      </div>
      <div className="max-w-[80ch]">
        {children ?? <MessageBody content={message.content} look={isUser ? "typed" : "markdown"} />}
      </div>
    </article>
  );
}

/** Everything that was said, beside what is sent. */
export function Transcript({ chat }: { readonly chat: string }): ReactElement {
  const text = useText(chatsText);
  const pages = useChatPages("chats.transcript", chat);
  const { scroll } = useStickToEnd(pages.messages.at(-1)?.id);
  return (
    <section
      aria-label={text.transcript}
      className="flex min-h-0 w-96 shrink-0 flex-col border-l border-line max-xl:w-72 max-lg:w-full max-lg:border-t max-lg:border-l-0"
    >
      <div className="border-b border-line px-4 py-2">
        <h2 className="font-semibold">{text.transcript}</h2>
        <p className="text-xs text-muted">{text.transcriptHint}</p>
      </div>
      <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto">
        <PagesHead pages={pages} />
        {!pages.isLoading && pages.messages.length === 0 && <p className="p-4 text-muted">{text.transcriptEmpty}</p>}
        <ol>
          {pages.messages.map((message, index) => (
            // A message's id is made of what it says; the same one may stand twice.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={`${message.id} ${index}`}>
              <ChatBubble message={message} />
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

/** What was written about a context, before what was said in it. */
function About({ title, children }: { readonly title: string; readonly children: string }): ReactElement {
  return (
    <div className="border-b border-l-4 border-b-line border-l-source-summary px-4 py-2">
      <h3 className="text-xs font-semibold text-muted">{title}</h3>
      <p className="whitespace-pre-wrap">{children}</p>
    </div>
  );
}

interface ArchivedContextProps {
  readonly chat: string;
  readonly contextId: string;
  /** The one that was searched for. */
  readonly message: string | undefined;
}

/** A context that was put away, for reading, with the ways to bring it back. */
export function ArchivedContext({ chat, contextId, message: wanted }: ArchivedContextProps): ReactElement {
  const text = useText(chatsText);
  const { number, dateTime } = useFormats();
  const scroll = useRef<HTMLDivElement>(null);
  const load = useLoad(chat);
  const { data, pending } = useLoaded("chats.context", { params: { key: chat, contextId } });
  const list = useRef<VirtualListHandle>(null);
  const at = wanted === undefined ? -1 : (data?.messages.findIndex(({ id }) => id === wanted) ?? -1);
  useEffect(() => {
    if (at >= 0) list.current?.scrollTo(at, "center");
  }, [at]);
  return (
    <section aria-label={data?.title ?? text.contexts} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <Link href={pathTo("chats", { key: chat })}>{text.back}</Link>
        {data && (
          <>
            <h2 className="font-semibold">{data.title}</h2>
            <span className="text-xs text-muted">
              {text.messages(number(data.messageCount))} · {text.archivedAt(dateTime(data.archivedAt))}
            </span>
            <div className="ml-auto flex items-center gap-1">
              <Button size="small" look="primary" onPress={() => load(contextId, "full")}>
                {text.loadModes.full}
              </Button>
              <ContextMenu chat={chat} context={data} />
            </div>
          </>
        )}
      </div>
      <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto max-lg:min-h-96">
        <div>
          {pending && <div className="p-4">{pending}</div>}
          {data?.note && <About title={text.note}>{data.note}</About>}
          {data?.earlierNotes && <About title={text.earlierNotes}>{data.earlierNotes.join("\n\n")}</About>}
          {data?.summary && <About title={text.summary}>{data.summary}</About>}
          {data && (
            <VirtualList label={data.title} items={data.messages} scroll={scroll} estimate={80} handle={list}>
              {(message, index) => <ChatBubble message={message} isFound={index === at} />}
            </VirtualList>
          )}
        </div>
      </div>
    </section>
  );
}
