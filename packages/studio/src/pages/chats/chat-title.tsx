import { Pencil } from "lucide-react";
import { type ReactElement, useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { Link } from "../../frame/location.tsx";
import { pathTo } from "../../frame/routes.ts";
import { chatListText } from "../../i18n/chat-list.ts";
import { useText } from "../../i18n/use-text.ts";
import { IconButton } from "../../kit/button.tsx";
import { useDeed } from "../../kit/notices.tsx";
import { RenameField } from "../../kit/rename-field.tsx";
import type { ChatData } from "./chat-pages.tsx";

interface ChatTitleProps {
  readonly chat: string;
  readonly data: ChatData | undefined;
}

/** What a chat is called, until it is listed: an unsaid one is new. */
export function useChatTitle(chat: string): string | undefined {
  return useApi("chats.list", {}).data?.chats.find(({ key }) => key === chat)?.title;
}

/** What the chat is called, renamed in place; and the chat that it was forked from. */
export function ChatTitle({ chat, data }: ChatTitleProps): ReactElement {
  const text = useText(chatListText);
  const title = useChatTitle(chat) ?? (data?.exists === false ? text.untitled : chat);
  const [isRenaming, setIsRenaming] = useState(false);
  const configure = useDeed("chats.settings");
  const rename = (wanted: string | undefined): void => {
    setIsRenaming(false);
    if (wanted === undefined || wanted === title) return;
    configure.run({ params: { key: chat }, body: { title: wanted || null } });
  };
  if (isRenaming)
    return <RenameField className="w-72" aria-label={text.chatTitle} maxLength={200} initial={title} onEnd={rename} />;
  return (
    <>
      <span className="min-w-0 flex-1 truncate font-semibold" title={chat} data-chat-title>
        {title}
      </span>
      {data?.exists && (
        <IconButton label={text.rename} size="small" icon={Pencil} onPress={() => setIsRenaming(true)} />
      )}
      {data?.forkedFrom && <ForkedFrom {...data.forkedFrom} />}
    </>
  );
}

function ForkedFrom({ chat, message }: { readonly chat: string; readonly message: string }): ReactElement {
  const text = useText(chatListText);
  const title = useChatTitle(chat);
  return (
    <span className="text-xs text-muted">
      {text.forkedFrom}{" "}
      <Link className="text-accent underline" href={pathTo("chats", { key: chat }, { message })}>
        {title ?? chat}
      </Link>
    </span>
  );
}

/** The chats that were begun from this one. */
export function ChatForks({ chat }: { readonly chat: string }): ReactElement | null {
  const text = useText(chatListText);
  const forks = useApi("chats.list", {}).data?.chats.filter(({ forkedFrom }) => forkedFrom?.chat === chat) ?? [];
  if (forks.length === 0) return null;
  return (
    <section aria-label={text.forks}>
      <h2 className="mb-1 font-semibold">{text.forks}</h2>
      <ul className="flex flex-col gap-1">
        {forks.map(({ key, title }) => (
          <li key={key} className="truncate">
            <Link href={pathTo("chats", { key })} title={key}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
