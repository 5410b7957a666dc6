import type { RouteReply } from "galley/api";
import { useEffect, useMemo } from "react";
import { sourceOfSession } from "../../../api/session-names.ts";
import { useApi } from "../../../api/use-api.ts";
import {
  type CallSettings,
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
import { hasSettings, placeOf, sessionOfChat } from "../../../place/place-of.ts";
import { useEditor } from "./editor-state.ts";

/** The conversation that the URL names: `source=chat:demo`, or `session=chat:demo` as other pages link here. */
export function useSource(): HistorySource {
  const { query } = useQueryState();
  const own = useOwnChat();
  const { source, session } = query;
  const named = source ?? (session === undefined ? own : sourceOfSession(session));
  return useMemo(() => parseSource(named), [named]);
}

/** The chat that has the preset's name, as the chat of an imported card does: where nothing is named, it is meant. */
function useOwnChat(): string | undefined {
  const { id } = useEditor().document;
  const chats = useApi("chats.list", {}).data?.chats;
  return chats?.some(({ key }) => key === id) ? formatSource({ kind: "chat", id }) : undefined;
}

export type NextCall = RouteReply<"turns.preview">;

/** What the next call of the place that the URL names would be made of, with the preset that is edited. */
export function useNextCall(preset: string, model: string): { readonly next?: NextCall; readonly isFailed: boolean } {
  const source = useSource();
  const session = sessionOf(source);
  const place = session !== undefined && hasSettings(session) ? placeOf(session) : undefined;
  const { data, isError } = useApi(
    "turns.preview",
    { query: { ...place, preset, model } },
    { isEnabled: place !== undefined },
  );
  return { isFailed: isError, ...(data && place ? { next: data } : {}) };
}

/** The session whose calls a source shows; none where it is not one of Galley's conversations. */
function sessionOf(source: HistorySource): string | undefined {
  if (source.kind === "chat") return sessionOfChat(source.id);
  return source.kind === "session" ? source.id : undefined;
}

/** Hands the conversation that the URL names to the preview, with what was last sent of it. */
export function useHistory(preview: PreviewStore, next: NextCall | undefined, isFailed: boolean): void {
  const source = useSource();
  const { query } = useQueryState();
  const text = useText(composeText);
  const wanted = query["call"] === undefined ? undefined : Number(query["call"]);
  const call = useCall(source, wanted);
  useEffect(() => {
    if (isFailed) showToast({ text: text.historyFailed, tone: "bad" });
  }, [isFailed, text]);
  useEffect(() => {
    if (source.kind === "sample") preview.setHistory({ entries: sampleConversation });
    else if (source.kind === "none") preview.setHistory({ entries: [] });
    else if (next && (wanted === undefined || call)) preview.setHistory(loaded(next, call, wanted !== undefined));
  }, [preview, source.kind, next, call, wanted]);
}

type Call = RouteReply<"sessions.call">;

/** With a call, the conversation as it was then, and the tools that the model was offered. */
function loaded(next: NextCall, call: Call | undefined, isThen: boolean): LoadedHistory {
  const { entries, tools } = next;
  const settings = settingsOf(next);
  if (!call) return { entries, tools, settings };
  const sent = { messages: call.messages, stablePrefix: call.stablePrefix };
  if (!isThen) return { entries, tools, settings, sent };
  return { entries: entriesOfCall(entries, call.ledger), tools: call.tools, settings, sent };
}

function settingsOf({ config, input, settings }: NextCall): CallSettings {
  const { maxInputTokens: _, ...limits } = config;
  const { now: __, ...given } = input;
  const compaction = settings.find(({ key }) => key === "compaction")?.value;
  // The preset that is edited has its own values, which may be newer than the saved ones.
  const { keys = {} } = settings.find(({ key }) => key === "variables") ?? {};
  const variables = Object.entries(given.variables ?? {}).filter(([name]) => keys[name] !== "preset");
  return {
    limits,
    input: { ...given, variables: Object.fromEntries(variables) },
    compaction: compaction === "off" || compaction === "extractive" ? compaction : "elsewhere",
  };
}

/** One call of a conversation; the last one unless another is wanted. */
function useCall(source: HistorySource, wanted: number | undefined): Call | undefined {
  const id = sessionOf(source) ?? "";
  // A conversation that no model was asked about yet has no calls: the list says so without an error.
  const isListed = useApi("sessions.list", {}, { isEnabled: id !== "" }).data?.sessions.some((item) => item.id === id);
  const calls = useApi("sessions.get", { params: { id } }, { isEnabled: isListed === true });
  const n = wanted ?? calls.data?.calls.at(-1)?.n;
  return useApi("sessions.call", { params: { id, n: n ?? 1 } }, { isEnabled: isListed === true && n !== undefined })
    .data;
}
