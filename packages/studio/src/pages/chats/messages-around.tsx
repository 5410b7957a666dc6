import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactElement, ReactNode, RefObject } from "react";
import { useApi } from "../../api/use-api.ts";
import { useQueryState } from "../../frame/location.tsx";
import { chatListText } from "../../i18n/chat-list.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice, Spinner } from "../../kit/notices.tsx";
import { type ChatMessage, type ChatPages, useJumpTo } from "./chat-pages.tsx";

const shownAtOnce = 100;
const none: readonly ChatMessage[] = [];

interface Around {
  readonly messages: readonly ChatMessage[];
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
  readonly isLoading: boolean;
  readonly error: Error | null;
}

/**
 * Where a message that was searched for is shown: among the newest, or far back, with what was said around it; not everything in
 * between is read.
 */
export function useFound(
  chat: string,
  found: string | undefined,
  pages: ChatPages,
  scroll: RefObject<HTMLElement | null>,
): { readonly isFar: boolean; readonly around: Around } {
  const isNear = pages.isLoading || !pages.hasEarlier || pages.messages.some(({ id }) => id === found);
  const isFar = found !== undefined && !isNear;
  const query = { limit: shownAtOnce, around: found ?? "" };
  const { data, error, isLoading } = useApi("chats.active", { params: { key: chat }, query }, { isEnabled: isFar });
  const { messages = none, hasMore = false, hasLater = false } = data ?? {};
  useJumpTo(found, isFar ? messages : pages.messages, scroll);
  return { isFar, around: { messages, hasEarlier: hasMore, hasLater, isLoading, error } };
}

interface MessagesAroundProps {
  readonly around: Around;
  readonly children: ReactNode;
}

/** What was said around a message, with the ways from there: further back, further on, and to the end. */
export function MessagesAround({ around, children }: MessagesAroundProps): ReactElement {
  const text = useText(chatListText);
  const words = useText(chatsText);
  const { setQuery } = useQueryState();
  const { messages, hasEarlier, hasLater, isLoading, error } = around;
  if (isLoading) return <Spinner />;
  const goTo = (message: string | undefined) => () => setQuery({ message }, {});
  return (
    <>
      <div className="sticky top-0 z-10 flex flex-wrap items-center justify-center gap-2 border-b border-line bg-canvas px-4 py-1.5">
        <span className="text-xs text-muted">{text.fromEarlier}</span>
        {hasEarlier && (
          <Button size="small" icon={ArrowUp} onPress={goTo(messages[0]?.id)}>
            {words.earlier}
          </Button>
        )}
        {hasLater && (
          <Button size="small" icon={ArrowDown} onPress={goTo(messages.at(-1)?.id)}>
            {text.later}
          </Button>
        )}
        <Button size="small" look="primary" onPress={goTo(undefined)}>
          {text.backToEnd}
        </Button>
      </div>
      {error && <ErrorNotice error={error} />}
      {children}
    </>
  );
}
