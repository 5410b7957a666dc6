import { type ReactElement, useRef } from "react";
import { useApi } from "../../api/use-api.ts";
import { Link } from "../../frame/link.tsx";
import { pathTo } from "../../frame/routes.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { VirtualList } from "../../message/virtual-list.tsx";
import { ChatBubble } from "./chat-bubble.tsx";
import { ContextMenu, useLoad } from "./context-card.tsx";

export interface ArchivedContextProps {
  readonly chat: string;
  readonly contextId: string;
}

/** A context that was put away, for reading, with the ways to bring it back. */
export function ArchivedContext({ chat, contextId }: ArchivedContextProps): ReactElement {
  const text = useText(chatsText);
  const { number, dateTime } = useFormats();
  const scroll = useRef<HTMLDivElement>(null);
  const load = useLoad(chat);
  const { data, error } = useApi("chats.context", { params: { key: chat, contextId } });
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
              <Button size="small" look="primary" onPress={() => void load(contextId, "full")}>
                {text.loadModes.full}
              </Button>
              <ContextMenu chat={chat} context={data} />
            </div>
          </>
        )}
      </div>
      <div ref={scroll} className="min-h-0 flex-1 overflow-y-auto max-lg:min-h-96">
        <div>
          {error && (
            <div className="p-4">
              <ErrorNotice error={error} />
            </div>
          )}
          {!data && !error && <Spinner />}
          {data?.summary && (
            <div className="border-b border-l-4 border-b-line border-l-source-summary px-4 py-2">
              <h3 className="text-xs font-semibold text-muted">{text.summary}</h3>
              <p className="whitespace-pre-wrap">{data.summary}</p>
            </div>
          )}
          {data && (
            <VirtualList
              label={data.title}
              count={data.messages.length}
              scroll={scroll}
              estimate={80}
              itemKey={(index) => index}
            >
              {(index) => {
                const message = data.messages[index];
                return message ? <ChatBubble message={message} /> : <span />;
              }}
            </VirtualList>
          )}
        </div>
      </div>
    </section>
  );
}
