import { existsSync, statSync } from "node:fs";
import { type ChatMessage, formatVersion, messageId, parseChatLine } from "./chat-line.ts";
import { readText } from "../../disk/read-text.ts";
import { lineError } from "./damaged-line.ts";

/** What must not be shown any more, and a stamp that changes whenever something is added [M7]. */
export interface Redactions {
  readonly ids: ReadonlySet<string>;
  readonly stamp: string;
  /** When the last one was made. */
  readonly latest: number;
}

/** Whether a message must not be shown: it was redacted, or it sums up what may have been redacted since. */
export function isRedacted(message: ChatMessage, { ids, latest }: Omit<Redactions, "stamp">): boolean {
  if (ids.size === 0) return false;
  return (message.summaryOf !== undefined && message.ts <= latest) || ids.has(messageId(message));
}

/** Reads the chat's redactions again whenever their file has grown. One that cannot be read might hide anything: it stops all. */
export function redactionReader(file: string): () => Redactions {
  let known: Redactions = { ids: new Set(), stamp: "0", latest: 0 };
  return () => {
    const stamp = String(existsSync(file) ? statSync(file).size : 0);
    if (stamp === known.stamp) return known;
    const ids = new Set<string>();
    let latest = 0;
    // What stands behind the last line end is being written.
    for (const [index, line] of readText(file).split("\n").slice(0, -1).entries()) {
      if (line === "") continue;
      const parsed = parseAt(file, index + 1, line);
      if (parsed.type !== "redact") continue;
      ids.add(parsed.entryId);
      latest = Math.max(latest, parsed.ts);
    }
    known = { ids, stamp, latest };
    return known;
  };
}

function parseAt(file: string, number: number, text: string): ReturnType<typeof parseChatLine> {
  try {
    return parseChatLine(text);
  } catch (cause) {
    throw lineError(file, number, cause);
  }
}

export function formatRedaction(entryId: string, ts: number): string {
  return `${JSON.stringify({ v: formatVersion, ts, type: "redact", entryId })}\n`;
}
