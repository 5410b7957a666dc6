import type { TokenAccount } from "../../tokens/account.ts";
import type { RecalledMessage } from "./recalled-messages.ts";

interface Page {
  readonly text: string;
  readonly tokens: number;
  /** The character behind its last. */
  readonly end: number;
}

/** No text has longer tokens on the whole. */
const maxCharactersPerToken = 8;
/** A page ends at a space where there is one this near; elsewhere the next page begins this much earlier, so that no name is torn. */
const overlap = 160;
/** Less room than this is left for the next answer. */
const minRoom = 40;

/** A message from a character on, as far as there is room; nothing where there is hardly any. */
export function pageOf(
  { handle, speaker, text }: RecalledMessage,
  from: number,
  room: number,
  { tokenizer }: TokenAccount,
): Page | undefined {
  if (room < minRoom) return undefined;
  const head = `${handle} ${speaker}:`;
  const rest = text.slice(from);
  const write = (length: number): string => `${head}\n${rest.slice(0, length)}`;
  let length = Math.min(rest.length, room * maxCharactersPerToken);
  for (;;) {
    const tokens = tokenizer.count(write(length));
    if (tokens <= room) {
      if (length === rest.length) return { text: write(length), tokens, end: text.length };
      const kept = lastBreak(rest, length);
      const end = from + (kept > 0 ? kept : Math.max(1, length - overlap));
      return { text: write(kept > 0 ? kept : length), tokens, end };
    }
    length = Math.max(1, Math.floor(Math.min(length * 0.95, (length * room) / tokens)));
    if (length <= 1) return undefined;
  }
}

/** Behind the last space near the end; 0 where there is none. */
function lastBreak(text: string, length: number): number {
  for (let at = length - 1; at > Math.max(0, length - overlap); at -= 1) {
    if (/\s/.test(text.charAt(at))) return at + 1;
  }
  return 0;
}
