import type { RecordedIndex } from "../model/entries.ts";
import { type UnreadMessage, growIndex } from "./compactor/name-index.ts";
import { roughTokens } from "./log/measure.ts";
import { pathMessages } from "./log/path-messages.ts";
import type { Prepared } from "./prepare.ts";

/** An index of a small window holds this many names; that of a larger one, one for every few tokens of the window. */
const minRows = 800;
const tokensPerRow = 24;

/** The index of the compaction in force with what was said since; without one, the whole log is read, this once [R3]. */
export function* growNames(prepared: Prepared): Generator<undefined, Omit<RecordedIndex, "length">> {
  const { view, limits } = prepared;
  const before = view.compaction?.names;
  const unread = before ? unreadSince(prepared, before.through) : wholeLog(prepared);
  const maxRows = Math.max(minRows, Math.ceil(limits.tokens / tokensPerRow));
  const grown = yield* growIndex(before, unread, { maxRows, window: limits.tokens });
  return { ...grown, through: view.messages.at(-1)?.id ?? before?.through ?? null };
}

/** All behind the last message that was read. A decision may stand in the log before the question that it was made for. */
function unreadSince({ view }: Prepared, through: string | null): UnreadMessage[] {
  const { messages, ordinals, earlier, compaction } = view;
  const read = messages.findLastIndex(({ id }) => id === through);
  const from = read >= 0 ? read + 1 : compaction?.undoes === undefined ? earlier : 0;
  return messages.slice(from).map(({ message }, index) => unreadOf(message, ordinals[from + index] ?? 0));
}

function wholeLog({ request: { entries, added, leafId } }: Prepared): UnreadMessage[] {
  return pathMessages(entries, { added, leafId }).flatMap(({ entry, ordinal, isErased }) =>
    isErased ? [] : [unreadOf(entry.message, ordinal)],
  );
}

function unreadOf(message: UnreadMessage["message"], ordinal: number): UnreadMessage {
  return { message, tokens: roughTokens(message), ordinal };
}
