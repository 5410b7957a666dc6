import type { MessageEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import type { QuotedChat } from "./tavern-macro-library.ts";

/** The history as macros quote it: nothing is read before one does, and `onQuote` is told when one does. */
export function quoteHistory(history: readonly MessageEntry[], onQuote: () => void): QuotedChat {
  return {
    get length() {
      onQuote();
      return history.length;
    },
    at(index) {
      onQuote();
      const entry = history.at(index);
      return entry && { role: entry.message.role, text: saidIn(entry.message) };
    },
  };
}

function saidIn({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
