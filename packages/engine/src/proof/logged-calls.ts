import { build } from "../fit/build.ts";
import type { Build } from "../fit/types.ts";
import { anyListCheck, countCheck } from "../model/check/input.ts";
import type { CallFacts, SessionEntry } from "../model/entries.ts";
import { type TokenAccount, accountCheck } from "../tokens/account.ts";
import { checkedPath } from "./checked-path.ts";
import { windowAfter } from "./window-after.ts";

/** A call that an agent made, as its log tells it [L1]: every reply is one. */
export interface LoggedCall extends CallFacts {
  /** 1 for the first. */
  readonly n: number;
  /** Its turn, and its place among the calls of that turn: a message of the user begins one. */
  readonly turn: number;
  readonly callOfTurn: number;
  /** The entry of the reply. */
  readonly entryId: string;
  readonly ts: string | number;
  /** Counted here, of the messages that the log has: an agent's own system text and tools are often not in it. */
  readonly inputTokens: number;
  readonly messageCount: number;
  /** Messages of the log that were not in the input any more. */
  readonly dropped: number;
  readonly summaryTokens: number;
  /** Whether the agent compacted its context since the call before. */
  readonly compacted: boolean;
  /** Tokens of the input that the call before had read as well. */
  readonly cachedPrefix: number;
}

/** The calls of an imported session, oldest first, along the active path [M6]. Each message is counted once. */
export function loggedCalls(entries: readonly SessionEntry[], account: TokenAccount): readonly LoggedCall[] {
  anyListCheck(entries, "entries");
  accountCheck(account, "account");
  const path = checkedPath(entries);
  const calls: LoggedCall[] = [];
  // What any input costs, be it empty.
  const base = account.countInput([]).tokens;
  const window = { messages: 0, tokens: base, summaryTokens: 0, compacted: false, cached: 0 };
  let [turn, callOfTurn, said] = [0, 0, 0];
  for (const [at, entry] of path.entries()) {
    if (entry.type === "compaction") {
      const { tokens, ...size } = sizeAfter(path.slice(0, at + 1), account);
      Object.assign(window, size, { tokens: base + tokens, compacted: true, cached: 0 });
    } else if (entry.type === "message") {
      const { role } = entry.message;
      if (role === "user") [turn, callOfTurn] = [turn + 1, 0];
      if (role === "assistant") {
        callOfTurn += 1;
        calls.push({
          ...entry.call,
          n: calls.length + 1,
          turn: Math.max(turn, 1),
          callOfTurn,
          entryId: entry.id,
          ts: entry.ts,
          inputTokens: window.tokens,
          messageCount: window.messages,
          dropped: Math.max(0, said - window.messages),
          summaryTokens: window.summaryTokens,
          compacted: window.compacted,
          cachedPrefix: window.cached,
        });
        [window.compacted, window.cached] = [false, window.tokens];
      }
      said += 1;
      window.messages += 1;
      window.tokens += account.countMessage(entry.message);
    }
  }
  return calls;
}

/** What one call has read, with the reason for everything in it; nothing where there is no such call. */
export function loggedBuild(entries: readonly SessionEntry[], n: number, account: TokenAccount): Build | undefined {
  anyListCheck(entries, "entries");
  countCheck(n, "n");
  accountCheck(account, "account");
  const path = checkedPath(entries);
  let found = 0;
  const isReply = (entry: SessionEntry): boolean => entry.type === "message" && entry.message.role === "assistant";
  const at = path.findIndex((entry) => isReply(entry) && (found += 1) === n);
  if (at < 0) return undefined;
  return build({ entries: path.slice(0, at), account, config: { maxInputTokens: Number.MAX_SAFE_INTEGER } });
}

interface WindowSize {
  readonly messages: number;
  readonly tokens: number;
  readonly summaryTokens: number;
}

function sizeAfter(path: readonly SessionEntry[], account: TokenAccount): WindowSize {
  const { messages, summary } = windowAfter(path);
  const summaryTokens = summary === undefined ? 0 : account.countPlain(summary);
  const tokens = messages.reduce((sum, message) => sum + account.countMessage(message), summaryTokens);
  return { messages: messages.length, tokens, summaryTokens };
}
