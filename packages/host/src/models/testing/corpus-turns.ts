import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import {
  type BuildRequest,
  GalleyError,
  type ModelMessage,
  type SessionEntry,
  type ToolSpec,
  build,
  loadTokenizer,
  tokenAccount,
} from "@galley/engine";
import { importReport, importTavern, readTavernFile } from "@galley/engine/sillytavern";
import type { SentTurn } from "./sdk-senders.ts";

/** A turn with where it comes from, for the report. */
export interface NamedTurn extends SentTurn {
  readonly name: string;
}

export type Source = Pick<BuildRequest, "entries" | "systemPrompt" | "preset"> & { readonly name: string };

/** At how many places a session is asked about, and with how many tokens each. */
const places = 2;
const budgets = [6000, 24_000] as const;

/** Agent sessions of one origin, as the benchmarks read them. */
interface SessionKind {
  readonly name: string;
  readonly systemPrompt: string;
  readonly sessions: readonly (readonly ModelMessage[])[];
}

/** Turns out of these sessions, and out of SillyTavern's chats where the corpus is. */
export async function* corpusTurns(kinds: readonly SessionKind[]): AsyncGenerator<NamedTurn> {
  const account = tokenAccount(await loadTokenizer("other"));
  for (const source of [...agentSessions(kinds), ...tavernChats()]) {
    const ends = source.entries.flatMap((entry, index) => (endsTurn(entry) ? [index + 1] : []));
    const step = Math.max(1, Math.floor(ends.length / places));
    for (const end of ends.filter((_, index) => (ends.length - 1 - index) % step === 0)) {
      const entries = source.entries.slice(0, end);
      for (const maxInputTokens of budgets) {
        const tools = toolsOf(entries);
        const { name, ...rest } = source;
        const messages = messagesOf({ ...rest, entries, tools, account, config: { maxInputTokens } });
        if (messages) yield { name: `${name}, ${end} entries in ${maxInputTokens}`, messages, tools };
      }
    }
  }
}

/** Nothing where one message alone is larger than the budget: such a turn is refused before anything is sent. */
function messagesOf(request: BuildRequest): readonly ModelMessage[] | undefined {
  try {
    return build(request).messages;
  } catch (error) {
    if (error instanceof GalleyError && error.code === "ContextOverflow") return undefined;
    throw error;
  }
}

function endsTurn(entry: SessionEntry): boolean {
  return entry.type === "message" && (entry.message.role === "user" || entry.message.role === "tool");
}

export function agentSessions(kinds: readonly SessionKind[]): Source[] {
  return kinds.flatMap(({ name, systemPrompt, sessions }) =>
    sessions.map((messages, index) => ({ name: `${name} ${index}`, systemPrompt, entries: entriesOf(messages) })),
  );
}

export function entriesOf(messages: readonly ModelMessage[]): SessionEntry[] {
  return messages.map((message, index) => ({
    type: "message",
    id: `e${index}`,
    parentId: index === 0 ? null : `e${index - 1}`,
    ts: index,
    message,
  }));
}

export function tavernChats(): Source[] {
  const folder = join(process.env["GALLEY_CORPUS"] ?? "", "chats");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((file) => {
    const read = readTavernFile(readFileSync(join(folder, file)), { name: basename(file, ".jsonl") }, importReport());
    const { preset, entries } = importTavern([read]);
    return { name: file, preset, entries };
  });
}

/** Every tool that the session calls; what they take is not recorded. */
export function toolsOf(entries: readonly SessionEntry[]): ToolSpec[] {
  const names = entries.flatMap((entry) => {
    if (entry.type !== "message" || typeof entry.message.content === "string") return [];
    return entry.message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
  });
  return [...new Set(names)].map((name) => ({
    name,
    description: `The tool ${name}.`,
    inputSchema: { type: "object" },
  }));
}
