import { useInfiniteQuery } from "@tanstack/react-query";
import type { RouteReply } from "galley/api";
import { call } from "../../api/call.ts";

export type ChatMessage = RouteReply<"chats.active">["messages"][number];

export interface ChatPages {
  /** Oldest first. */
  readonly messages: readonly ChatMessage[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasEarlier: boolean;
  readonly showEarlier: () => void;
}

const pageSize = 100;

/** The end of a chat's active context or transcript, and more of it when asked for. */
export function useChatPages(name: "chats.active" | "chats.transcript", key: string, isEnabled = true): ChatPages {
  const { data, error, isLoading, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: [name, { key }, "pages"],
    queryFn: ({ pageParam, signal }) =>
      call(name, { params: { key }, query: { limit: pageSize, ...(pageParam && { before: pageParam }) } }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ messages, hasMore }) => (hasMore ? messages[0]?.id : undefined),
    enabled: isEnabled,
  });
  const pages = data?.pages ?? [];
  return {
    messages: pages.toReversed().flatMap(({ messages }) => messages),
    isLoading,
    error,
    hasEarlier: hasNextPage,
    showEarlier: () => void fetchNextPage(),
  };
}
