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
      <div className={classes("flex gap-2", open !== undefined && "flex-col")}>
        <Button look={open === undefined ? "primary" : "plain"} icon={MessageSquarePlus} onPress={openNewChat}>
          {text.newChat}
        </Button>
        {data && data.chats.length > 0 && (
          <SearchField
            className="flex-1"
            label={text.search}
            value={wanted}
            onChange={setWanted}
            isPageSearch={open === undefined}
          />
        )}
      </div>
      {pending}
      <nav aria-label={text.chats} className="min-h-0 overflow-y-auto">
        {byAge(shown).map(([age, chats]) => (
          <section key={age} className="mb-2">
            <h2 className="px-2.5 py-1 text-xs font-semibold text-muted">{text.ages[age]}</h2>
            <ul className="flex flex-col gap-0.5">
              {chats.map((chat) => (
                <li key={chat.key}>
                  <ChatLine chat={chat} open={open} />
                </li>
              ))}
            </ul>
          </section>
        ))}
        {query !== "" && <FoundMessages query={query} hasChats={shown.length > 0} />}
      </nav>
    </div>
  );
}

const dayMs = 86_400_000;

/** Chats of today, of yesterday, of the days before: in lists of hundreds one looks for a time first. */
function byAge(
  chats: readonly ChatItem[],
): readonly (readonly ["today" | "yesterday" | "week" | "older", ChatItem[]])[] {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const groups = Object.groupBy(chats, ({ updatedAt }) => {
    if (updatedAt >= midnight) return "today";
    if (updatedAt >= midnight - dayMs) return "yesterday";
    return updatedAt >= midnight - 6 * dayMs ? "week" : "older";
  });
  return (["today", "yesterday", "week", "older"] as const).flatMap((age) => (groups[age] ? [[age, groups[age]]] : []));
}

function ChatLine({ chat, open }: ChatListProps & { readonly chat: ChatItem }): ReactElement {
  const { moment } = useFormats();
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
        {open === undefined && <span className="shrink-0 text-xs text-muted">{moment(chat.updatedAt)}</span>}
      </span>
      {/* A question that has no answer yet is its title already. */}
      {chat.preview !== chat.title && <span className="truncate text-xs text-muted">{chat.preview}</span>}
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
