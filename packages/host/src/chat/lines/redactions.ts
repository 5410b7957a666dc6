import { type ChatMessage, formatVersion, messageId } from "./chat-line.ts";
import { statFile } from "../../disk/data-files.ts";
import { wholeLines } from "./log-lines.ts";

/** What must not be shown any more, and a stamp that changes whenever something is added [M7]. */
export interface Redactions {
  readonly ids: ReadonlySet<string>;
  readonly stamp: string;
  /** When the last one was made. */
  readonly latest: number;
}

/** For those who look for what was written, whether it may be shown or not. */
export const nothingRedacted: Redactions = { ids: new Set(), stamp: "0", latest: 0 };

/** Whether a message must not be shown: it was redacted, or it sums up what may have been redacted since. */
export function isRedacted(message: ChatMessage, { ids, latest }: Redactions): boolean {
  if (ids.size === 0) return false;
  return (message.summaryOf !== undefined && message.ts <= latest) || ids.has(messageId(message));
}

/** Reads the chat's redactions again whenever their file has grown. One that cannot be read might hide anything: it stops all. */
export function redactionReader(file: string): () => Redactions {
  let known = nothingRedacted;
  return () => {
    const stamp = String(statFile(file)?.size ?? 0);
    if (stamp === known.stamp) return known;
    const ids = new Set<string>();
    let latest = 0;
    for (const { line } of wholeLines(file)) {
      if (line.type !== "redact") continue;
      ids.add(line.entryId);
      latest = Math.max(latest, line.ts);
    }
    known = { ids, stamp, latest };
    return known;
  };
}

export function formatRedaction(entryId: string, ts: number): string {
  return `${JSON.stringify({ v: formatVersion, ts, type: "redact", entryId })}\n`;
}
