import type { SessionEntry } from "@galley/engine";
import type { CustomEntry } from "@galley/engine/messages";
import { type LogFormat, type LogReader, type LogSession, readLog } from "@galley/engine/logs";

/** What is known of a conversation without opening it. */
export interface LogFacts {
  /** `<agent>:<its own id>`, which is also the id of its session. */
  readonly id: string;
  readonly parent?: string | undefined;
  readonly title?: string | undefined;
  readonly folder?: string | undefined;
  /** Tokens of the last input, as the provider counted them. */
  readonly tokens?: number | undefined;
  readonly compactions?: number | undefined;
  /** Whether all of it was read; otherwise tokens and compactions are not known. */
  readonly isWhole: boolean;
}

const maxTitle = 80;

/** Gathers what a list says of a conversation, entry by entry. */
class FactsReader {
  #said: string | undefined;
  #tokens: number | undefined;
  #compactions = 0;

  take(entry: SessionEntry): void {
    if (entry.type === "compaction") this.#compactions += 1;
    if (entry.type !== "message") return;
    this.#tokens = entry.call?.usage?.inputTokens ?? this.#tokens;
    if (entry.message.role === "user") this.#said ??= requestIn(entry);
  }

  facts(
    { id, parent, title, folder }: Pick<LogSession, "id" | "parent" | "title" | "folder">,
    isWhole: boolean,
  ): LogFacts {
    const figures = isWhole ? { tokens: this.#tokens, compactions: this.#compactions } : {};
    return { id, parent, title: title ?? this.#said, folder, ...figures, isWhole };
  }
}

/** What the log of an agent says of its conversation. */
export async function factsOf(
  pieces: AsyncIterable<string>,
  options: { readonly name: string; readonly as: LogFormat; readonly isWhole: boolean },
): Promise<LogFacts | undefined> {
  const log = readLog({ name: options.name, as: options.as });
  const readers = new Map<string, FactsReader>();
  const take = ({ entries }: ReturnType<LogReader["push"]>): void => {
    for (const { session, entry } of entries) {
      const reader = readers.get(session) ?? new FactsReader();
      readers.set(session, reader);
      reader.take(entry);
    }
  };
  for await (const piece of pieces) take(log.push(piece));
  const summary = log.end();
  take(summary);
  // A file may hold sub-agents as well; a sub-agent's own file holds nothing else.
  const own = summary.sessions.find(({ parent }) => parent === undefined) ?? summary.sessions[0];
  return own && (readers.get(own.id) ?? new FactsReader()).facts(own, options.isWhole);
}

/** What a session of the store says of itself: its log, and the note of the import. */
export function factsOfSession(id: string, entries: readonly SessionEntry[]): LogFacts {
  const reader = new FactsReader();
  for (const entry of entries) reader.take(entry);
  const { parent, title, folder } = noteIn(entries);
  return reader.facts({ id, parent, title, folder }, true);
}

/** The newest note of an import in a log. */
export function noteIn(entries: readonly SessionEntry[]): Partial<Record<"parent" | "title" | "folder", string>> {
  const note = entries.findLast((entry) => entry.type === "custom" && entry["kind"] === "log") as
    | CustomEntry
    | undefined;
  return note?.["record"] ?? {};
}

/** The first words of a request; texts that a program has put there are not what a person asked for. */
function requestIn(entry: SessionEntry): string | undefined {
  if (entry.type !== "message") return undefined;
  const { content } = entry.message;
  const texts =
    typeof content === "string" ? [content] : content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  // Programs put what they add into tags, before what was typed or instead of it.
  const typed = texts.map((text) => text.replace(/^(?:\s*<([\w-]+)[^>]*>[\s\S]*?<\/\1>)+/, "").trim());
  const said = typed.find((text) => text !== "" && !/^(?:<|# AGENTS\.md|Caveat:|\[Request interrupted)/.test(text));
  return said?.slice(0, maxTitle).replace(/\s+/g, " ");
}
