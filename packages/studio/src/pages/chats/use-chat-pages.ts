import { useInfiniteQuery } from "@tanstack/react-query";
import type { RouteReply } from "galley/api";
import { useMemo } from "react";
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
  // The same list as long as nothing was read anew: a conversation renders with every word of a reply.
  const messages = useMemo(() => (data?.pages ?? []).toReversed().flatMap((page) => page.messages), [data]);
  return {
    messages,
    isLoading,
    error,
    hasEarlier: hasNextPage,
    showEarlier: () => void fetchNextPage(),
  };
}
