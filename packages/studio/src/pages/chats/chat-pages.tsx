import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import type { RouteReply } from "galley/api";
import {
  type ReactElement,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { call } from "../../api/call.ts";
import { chatsText } from "../../i18n/chats.ts";
import { useText } from "../../i18n/use-text.ts";
import { ErrorNotice, Spinner } from "../../kit/notices.tsx";
import { Button } from "../../kit/button.tsx";

export type ChatData = RouteReply<"chats.get">;

export type ChatMessage = RouteReply<"chats.active">["messages"][number];

export interface ChatPages {
  /** Oldest first. */
  readonly messages: readonly ChatMessage[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasEarlier: boolean;
  readonly showEarlier: () => void;
  readonly retry: () => void;
}

const pageSize = 100;

/** The end of a chat's active context or transcript, and more of it when asked for. */
export function useChatPages(name: "chats.active" | "chats.transcript", key: string, isEnabled = true): ChatPages {
  const client = useQueryClient();
  const queryKey = [name, { key }, "pages"];
  const { data, error, isLoading, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      call(name, { params: { key }, query: { limit: pageSize, ...(pageParam && { before: pageParam }) } }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ messages, hasMore }) => (hasMore ? messages[0]?.id : undefined),
    enabled: isEnabled,
  });
  // The same list until something is read again: a conversation renders with every word of a reply.
  const messages = useMemo(() => (data?.pages ?? []).toReversed().flatMap((page) => page.messages), [data]);
  return {
    messages,
    isLoading,
    error,
    hasEarlier: hasNextPage,
    retry: () => void refetch(),
    showEarlier: () => {
      // Wait for what is being read again: cut off, it would leave the end of the chat as it was.
      const running = client.getQueryCache().find({ queryKey, exact: true });
      const isFetching = running?.state.fetchStatus === "fetching";
      const ended = (isFetching && running.promise?.catch(() => undefined)) || Promise.resolve();
      void ended.then(() => fetchNextPage({ cancelRefetch: false }));
    },
  };
}

const nearEnd = 120;

interface StickToEnd {
  readonly scroll: RefObject<HTMLDivElement | null>;
  /** Something came while somebody was reading further up. */
  readonly hasNew: boolean;
  readonly toEnd: () => void;
}

/** Keeps the end in sight as it grows, unless somebody has scrolled up to read. */
export function useStickToEnd(...growing: readonly unknown[]): StickToEnd {
  const scroll = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [hasNew, setHasNew] = useState(false);
  const toEnd = useCallback(() => {
    isAtEnd.current = true;
    setHasNew(false);
    scroll.current?.scrollTo({ top: scroll.current.scrollHeight });
  }, []);
  useLayoutEffect(() => {
    const element = scroll.current;
    if (!element) return;
    const onScroll = (): void => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
      if (isAtEnd.current) setHasNew(false);
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, []);
  // oxlint-disable-next-line react/exhaustive-deps -- it sets nothing that it depends on
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
    else setHasNew(true);
    // oxlint-disable-next-line react/exhaustive-deps -- whatever grows is given by the caller
  }, growing);
  return { scroll, hasNew, toEnd };
}

/** Brings a message that the URL names into sight, once it is there. */
export function useJumpTo(
  message: string | undefined,
  messages: readonly ChatMessage[],
  scroll: RefObject<HTMLElement | null>,
): void {
  const shown = useRef<string>(undefined);
  const isThere = message !== undefined && messages.some(({ id }) => id === message);
  useEffect(() => {
    if (!isThere || shown.current === message) return;
    shown.current = message;
    const row = scroll.current?.querySelector(`[data-message="${CSS.escape(message)}"]`);
    row?.scrollIntoView({ block: "center" });
  }, [message, isThere, scroll]);
}

/** What stands above the messages: why they are not there, and the way to earlier ones. */
export function PagesHead({ pages }: { readonly pages: ChatPages }): ReactElement {
  const text = useText(chatsText);
  return (
    <>
      {pages.error && (
        <div className="p-4">
          <ErrorNotice error={pages.error} onRetry={pages.retry} />
        </div>
      )}
      {pages.isLoading && <Spinner />}
      {pages.hasEarlier && (
        <div className="flex justify-center p-2">
          <Button size="small" onPress={pages.showEarlier}>
            {text.earlier}
          </Button>
        </div>
      )}
    </>
  );
}
