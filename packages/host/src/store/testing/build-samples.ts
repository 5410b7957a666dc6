import { type LedgerRow, type ModelMessage, digestOf } from "@galley/engine";
import type { NewBuild } from "../ports/build-store.ts";
import { fresh } from "./store-samples.ts";

export function said(text: string): ModelMessage {
  return { role: "user", content: text };
}

/** A build that sends these messages, with a row for each. */
export function buildOf(messages: readonly ModelMessage[], over: Partial<NewBuild> = {}): NewBuild {
  const ledger = messages.map((message, position): LedgerRow => ({
    kind: "message",
    id: `m${position}`,
    role: message.role,
    fate: "kept",
    position,
  }));
  const key = over.key ?? fresh("key");
  return {
    key,
    turnId: key,
    at: 1000,
    model: "demo",
    digest: digestOf({ messages }),
    stats: {
      inputTokens: messages.length,
      messageCount: messages.length,
      droppedMessagesCount: 0,
      exactness: "estimated",
      tokenizer: "chars",
    },
    messages,
    tools: [],
    ledger,
    stablePrefix: messages.length,
    budget: 8000,
    problems: [],
    bySource: { history: messages.length },
    compacted: false,
    cachedPrefix: 0,
    ...over,
  };
}
