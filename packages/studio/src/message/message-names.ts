import type { LedgerRow, ModelMessage, SessionEntry } from "@galley/engine";
import { firstWords } from "../api/words.ts";
import { messageText } from "./message-blocks.ts";

function named(id: string, content: ModelMessage["content"]): readonly (readonly [string, string])[] {
  const words = firstWords(messageText(content));
  return words === "" ? [] : [[id, words]];
}

/** The messages of a log by how they begin, for those that are asked for. */
export function namesInLog(entries: readonly SessionEntry[], ids: ReadonlySet<string>): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap((entry) =>
      entry.type === "message" && ids.has(entry.id) ? named(entry.id, entry.message.content) : [],
    ),
  );
}

/** The messages of the history and the steps that were sent as messages of their own, by how they begin. */
export function namesInBuild(
  messages: readonly ModelMessage[],
  ledger: readonly LedgerRow[],
): ReadonlyMap<string, string> {
  return new Map(
    ledger.flatMap(({ kind, id, position, fate }) => {
      const isWhole = (kind === "message" || kind === "step") && fate !== "merged";
      const message = isWhole && position !== undefined ? messages[position] : undefined;
      return message ? named(id, message.content) : [];
    }),
  );
}

/** Which messages of the history were left out. */
export function unsentMessages(rows: readonly LedgerRow[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ kind, id, position }) => (kind === "message" && position === undefined ? [id] : [])));
}
