import type { RouteReply } from "galley/api";
import { MessageSquarePlus } from "lucide-react";
import { type ReactElement, useDeferredValue, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { Link } from "../../frame/location.tsx";
import { openNewChat } from "../../frame/new-chat.ts";
import { pathTo } from "../../frame/routes.ts";
import { chatListText } from "../../i18n/chat-list.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { classes } from "../../kit/classes.ts";
import { SearchField } from "../../kit/fields.tsx";
import { ErrorNotice, useLoaded } from "../../kit/notices.tsx";

type ChatItem = RouteReply<"chats.list">["chats"][number];
type Found = RouteReply<"chats.find">["found"][number];

interface ChatListProps {
  /** The chat that is open, where one is. */
  readonly open?: string | undefined;
}

/** A new chat, the search over everything that was said, and the chats, the one that was used last first. */
export function ChatList({ open }: ChatListProps): ReactElement {
  const text = useText(chatListText);
  const { data, pending } = useLoaded("chats.list", {});
  const [wanted, setWanted] = useState("");
  const query = useDeferredValue(wanted.trim());
  const needle = query.toLowerCase();
  const shown = data?.chats.filter(({ key, title }) => `${key} ${title}`.toLowerCase().includes(needle)) ?? [];
  return (
    <div className="flex min-h-0 flex-col gap-3">
      <Button look={open === undefined ? "primary" : "plain"} icon={MessageSquarePlus} onPress={openNewChat}>
        {text.newChat}
      </Button>
      {data && data.chats.length > 0 && (
        <SearchField label={text.search} value={wanted} onChange={setWanted} isPageSearch={open === undefined} />
      )}
      {pending}
      <nav aria-label={text.chats} className="min-h-0 overflow-y-auto">
        <ul className="flex flex-col gap-0.5">
          {shown.map((chat) => (
            <li key={chat.key}>
              <ChatLine chat={chat} open={open} />
            </li>
          ))}
        </ul>
        {query !== "" && <FoundMessages query={query} hasChats={shown.length > 0} />}
      </nav>
    </div>
  );
}

function ChatLine({ chat, open }: ChatListProps & { readonly chat: ChatItem }): ReactElement {
  const { dateTime } = useFormats();
  const isOpen = chat.key === open;
  return (
    <Link
      href={pathTo("chats", { key: chat.key })}
      title={chat.key}
      aria-current={isOpen ? "page" : undefined}
      className={classes("flex flex-col rounded-md px-2.5 py-1.5", isOpen ? "bg-accent-soft" : "hover:bg-sunken")}
    >
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">{chat.title}</span>
        {open === undefined && <span className="shrink-0 text-xs text-muted">{dateTime(chat.updatedAt)}</span>}
      </span>
      {chat.preview && <span className="truncate text-xs text-muted">{chat.preview}</span>}
    </Link>
  );
}

/** What was said in any chat, with the way to where it stands. */
function FoundMessages({ query, hasChats }: { readonly query: string; readonly hasChats: boolean }): ReactElement {
  const text = useText(chatListText);
  const { data, error } = useApi("chats.find", { query: { q: query } }, { keepPrevious: true });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <p className="p-2 text-xs text-muted">{text.searching}</p>;
  if (data.found.length === 0) {
    return <p className="p-2 text-muted">{hasChats ? text.noMessage : text.nothing}</p>;
  }
  return (
    <>
      <h2 className="mt-3 px-2.5 text-xs font-semibold text-muted">{text.messages}</h2>
      <ul className="flex flex-col gap-0.5">
        {data.found.map((found) => (
          <li key={`${found.chat} ${found.contextId} ${found.messageId}`}>
            <FoundLine found={found} />
          </li>
        ))}
      </ul>
    </>
  );
}

function FoundLine({ found: { chat, title, contextId, messageId, snippet } }: { readonly found: Found }): ReactElement {
  return (
    <Link
      href={pathTo("chats", { key: chat }, { context: contextId, message: messageId })}
      className="flex flex-col rounded-md px-2.5 py-1.5 hover:bg-sunken"
    >
      <span className="truncate text-xs text-muted">{title}</span>
      <span className="line-clamp-2">{snippet}</span>
    </Link>
  );
}
