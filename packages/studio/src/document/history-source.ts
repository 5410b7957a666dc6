import {
  type ContextBuildInput,
  type ContextConfig,
  GalleyError,
  type LedgerRow,
  type ModelMessage,
  type SessionEntry,
  type ToolSpec,
  parseSession,
} from "@galley/engine";
import { importReport, importTavern, readTavernFile } from "@galley/engine/sillytavern";

/** Where the preview takes its conversation from. */
export type HistorySource =
  | { readonly kind: "sample" | "none" }
  /** By the chat's key, the session's id or the name of the file. */
  | { readonly kind: "chat" | "session" | "file"; readonly id: string };

/** As it stands in a URL. Of a file only that it was one: its content cannot stand there. */
export function formatSource(source: HistorySource): string {
  return "id" in source ? `${source.kind}:${source.id}` : source.kind;
}

export function parseSource(text = ""): HistorySource {
  const [, kind, id] = /^(chat|session|file):(.*)$/s.exec(text) ?? [];
  if (id !== undefined) return { kind: kind as "chat" | "session" | "file", id };
  return { kind: text === "none" ? "none" : "sample" };
}

/** What a call is built with besides preset, model, conversation and tools; the daemon says what its next call would have [T14]. */
export interface CallSettings {
  readonly limits: Omit<ContextConfig, "maxInputTokens">;
  readonly input: Pick<
    ContextBuildInput,
    "systemPrompt" | "userProfile" | "variables" | "runtimeHints" | "runtimeInitData"
  >;
  /** Whether what does not fit is summarised; `elsewhere` means by a model or a function of somebody's own. */
  readonly compaction: "off" | "extractive" | "elsewhere";
}

/** As a build has it where no place says anything else. */
export const usualSettings: CallSettings = { limits: {}, input: {}, compaction: "extractive" };

/** A conversation together with what was last sent of it, where that is known. */
export interface LoadedHistory {
  readonly entries: readonly SessionEntry[];
  /** The tools that the model is offered, where they are known. */
  readonly tools?: readonly ToolSpec[];
  readonly settings?: CallSettings;
  readonly sent?: SentBuild;
}

/** What a provider was last sent, and how much of it stays in front of the next turn. */
export interface SentBuild {
  readonly messages: readonly ModelMessage[];
  readonly stablePrefix: number;
}

/** The log as it was when a call was built: up to the last message that its ledger knows. */
export function entriesOfCall(entries: readonly SessionEntry[], ledger: readonly LedgerRow[]): readonly SessionEntry[] {
  const known = new Set(ledger.map((row) => row.id));
  const last = entries.findLastIndex((entry) => entry.type === "message" && known.has(entry.id));
  return last < 0 ? entries : entries.slice(0, last + 1);
}

/** Reads a session's log, or a SillyTavern chat. */
export function readHistoryFile(name: string, bytes: Uint8Array): readonly SessionEntry[] {
  const { entries } = parseSession(new TextDecoder().decode(bytes));
  if (entries.some((entry) => entry.type === "message")) return entries;
  const report = importReport();
  const found = importTavern([readTavernFile(bytes, { name }, report)], { report }).entries;
  if (found.length > 0) return found;
  throw new GalleyError("ContextInvalidInput", `There is no conversation in ${name}.`, {
    path: name,
    hint: "Choose a session's log (.jsonl) or a chat of SillyTavern.",
  });
}
