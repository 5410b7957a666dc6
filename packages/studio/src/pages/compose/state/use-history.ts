import type { RouteReply } from "galley/api";
import { useEffect, useMemo } from "react";
import { useApi } from "../../../api/use-api.ts";
import {
  type HistorySource,
  type LoadedHistory,
  entriesOfCall,
  formatSource,
  parseSource,
} from "../../../document/history-source.ts";
import type { PreviewStore } from "../../../document/preview-store.ts";
import { sampleConversation } from "../../../document/sample-conversation.ts";
import { useQueryState } from "../../../frame/location.tsx";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { showToast } from "../../../kit/notices.tsx";

/** The conversation that the URL names: `source=chat:demo`, or `session=chat:demo` as other pages link here. */
export function useSource(): HistorySource {
  const { query } = useQueryState();
  const named = query["source"] ?? sourceOfSession(query["session"]);
  return useMemo(() => parseSource(named), [named]);
}

function sourceOfSession(session: string | undefined): string | undefined {
  if (session === undefined) return undefined;
  return formatSource(
    session.startsWith("chat:") ? { kind: "chat", key: session.slice(5) } : { kind: "session", id: session },
  );
}

/** Hands the conversation that the URL names to the preview, with what was last sent of it. */
export function useHistory(preview: PreviewStore): void {
  const source = useSource();
  const { query } = useQueryState();
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
  const wanted = query["call"] === undefined ? undefined : Number(query["call"]);
  const call = useCall(source, wanted);
  const isFailed = (source.kind === "chat" && chat.isError) || (source.kind === "session" && session.isError);
  useEffect(() => {
    if (isFailed) showToast({ text: text.historyFailed, tone: "bad" });
  }, [isFailed, text]);
  const stored = source.kind === "chat" ? chat.data : source.kind === "session" ? session.data : undefined;
  const entries = stored?.entries;
  useEffect(() => {
    if (source.kind === "sample") preview.setHistory({ entries: sampleConversation });
    else if (source.kind === "none") preview.setHistory({ entries: [] });
    else if (entries && (wanted === undefined || call)) preview.setHistory(loaded(entries, call, wanted !== undefined));
  }, [preview, source.kind, entries, call, wanted]);
}

type Call = RouteReply<"sessions.call">;

/** With a call, the conversation as it was then, and the tools that the model was offered. */
function loaded(entries: LoadedHistory["entries"], call: Call | undefined, isThen: boolean): LoadedHistory {
  if (!call) return { entries };
  const { messages, stablePrefix, tools, ledger } = call;
  const sent = { messages, stablePrefix };
  return isThen ? { entries: entriesOfCall(entries, ledger), tools, sent } : { entries, tools, sent };
}

/** One call of a conversation; the last one unless another is wanted. */
function useCall(source: HistorySource, wanted: number | undefined): Call | undefined {
  const id = source.kind === "chat" ? `chat:${source.key}` : source.kind === "session" ? source.id : "";
  // A conversation that no model was asked about yet has no calls: the list says so without an error.
  const isListed = useApi("sessions.list", {}, { isEnabled: id !== "" }).data?.sessions.some((item) => item.id === id);
  const calls = useApi("sessions.get", { params: { id } }, { isEnabled: isListed === true });
  const n = wanted ?? calls.data?.calls.at(-1)?.n;
  return useApi("sessions.call", { params: { id, n: n ?? 1 } }, { isEnabled: isListed === true && n !== undefined })
    .data;
}
