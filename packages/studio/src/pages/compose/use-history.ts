import { useEffect, useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { type HistorySource, type SentBuild, parseSource } from "../../document/history-source.ts";
import type { PreviewStore } from "../../document/preview-store.ts";
import { sampleConversation } from "../../document/sample-conversation.ts";
import { useQueryState } from "../../frame/navigation-state.ts";
import { composeText } from "../../i18n/compose.ts";
import { useText } from "../../i18n/use-text.ts";
import { showToast } from "../../kit/toast.tsx";

export function useSource(): HistorySource {
  const { query } = useQueryState();
  const named = query["source"];
  return useMemo(() => parseSource(named), [named]);
}

/** Hands the conversation that the URL names to the preview, with what was last sent of it. */
export function useHistory(preview: PreviewStore): void {
  const source = useSource();
  const text = useText(composeText);
  const chat = useApi(
    "chats.entries",
    { params: { key: source.kind === "chat" ? source.key : "" } },
    { isEnabled: source.kind === "chat" },
  );
  const session = useApi(
    "sessions.entries",
    { params: { id: source.kind === "session" ? source.id : "" } },
    { isEnabled: source.kind === "session" },
  );
  const sent = useSent(source);
  const isFailed = (source.kind === "chat" && chat.isError) || (source.kind === "session" && session.isError);
  useEffect(() => {
    if (isFailed) showToast({ text: text.historyFailed, tone: "bad" });
  }, [isFailed, text]);
  const entries =
    source.kind === "chat" ? chat.data?.entries : source.kind === "session" ? session.data?.entries : undefined;
  useEffect(() => {
    if (source.kind === "sample") preview.setHistory({ entries: sampleConversation });
    else if (source.kind === "none") preview.setHistory({ entries: [] });
    else if (entries) preview.setHistory({ entries, ...(sent ? { sent } : {}) });
  }, [preview, source.kind, entries, sent]);
}

/** What the provider was last sent of this conversation. */
function useSent(source: HistorySource): SentBuild | undefined {
  const id = source.kind === "chat" ? `chat:${source.key}` : source.kind === "session" ? source.id : "";
  const turns = useApi("sessions.get", { params: { id } }, { isEnabled: id !== "" });
  const last = turns.data?.turns.at(-1)?.n;
  const turn = useApi("sessions.turn", { params: { id, n: last ?? 1 } }, { isEnabled: last !== undefined });
  const { data } = turn;
  return useMemo(() => (data ? { messages: data.messages, stablePrefix: data.stablePrefix } : undefined), [data]);
}
