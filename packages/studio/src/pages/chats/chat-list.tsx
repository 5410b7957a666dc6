import { MessagesSquare } from "lucide-react";
import type { RouteReply } from "galley/api";
import { type ReactElement, useState } from "react";
import { Form } from "react-aria-components";
import { useApi } from "../../api/use-api.ts";
import { Link } from "../../frame/link.tsx";
import { navigate } from "../../frame/navigation-state.ts";
import { Page } from "../../frame/page.tsx";
import { pathTo } from "../../frame/routes.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useFormats, useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { EmptyState } from "../../kit/empty-state.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { SearchField } from "../../kit/search-field.tsx";
import { Spinner } from "../../kit/spinner.tsx";
import { TextField } from "../../kit/text-field.tsx";

type ChatItem = RouteReply<"chats.list">["chats"][number];

export function ChatList(): ReactElement {
  const text = useText(chatsText);
  const { data, error, refetch } = useApi("chats.list", {});
  const [wanted, setWanted] = useState("");
  const needle = wanted.trim().toLowerCase();
  const shown = data?.chats.filter(({ key, preview }) => `${key} ${preview}`.toLowerCase().includes(needle)) ?? [];
  return (
    <Page title={text.title}>
      <div className="flex flex-col gap-4">
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Spinner />}
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
