import { hash } from "node:crypto";
import {
  type LedgerRow,
  type ModelMessage,
  type TokenAccount,
  type Tokenizer,
  digestItem,
  tokenAccount,
} from "@galley/engine";
import type { BuiltCall } from "./build-call.ts";
import type { GalleyParts } from "./galley-parts.ts";
import type { TurnPlan } from "./turn-plan.ts";

export interface RecordedCall {
  readonly session: string;
  /** The same for the same call: a run that is resumed records it once. */
  readonly key: string;
  readonly plan: Pick<TurnPlan, "model" | "presetId">;
  readonly runId?: string;
}

type Source = "template" | "anchor" | "depth" | "profile" | "history" | "summary" | "tools" | "other";

/** Writes down what a call of a model reads [P2]; gives its number in the session. */
export async function recordCall(parts: GalleyParts, built: BuiltCall, call: RecordedCall): Promise<number> {
  const { store, project, redactor, events, now } = parts;
  const { session, plan } = call;
  const account = accountOf(plan.model.tokenizer);
  const toolTokens = built.tools.reduce((sum, tool) => sum + account.countTool(tool), 0);
  const shared = commonPrefix((await lastMessages(parts, session)) ?? [], built.messages);
  const cachedPrefix = built.messages.slice(0, shared).reduce((sum, message) => sum + account.countMessage(message), 0);
  const { messages, tools, ledger, digest, stats, stablePrefix, recipe, problems, budget, compacted } = built;
  const n = await store.builds.record(
    { projectId: project, sessionId: session },
    {
      ...redactor.redact({
        messages,
        tools,
        ledger,
        problems,
        stats,
        model: plan.model.id,
        ...(recipe ? { recipe } : {}),
        ...(plan.presetId === undefined ? {} : { presetId: plan.presetId }),
      }),
      key: call.key,
      at: now(),
      digest,
      stablePrefix,
      budget,
      compacted,
      bySource: bySource(ledger, toolTokens, stats.inputTokens),
      cachedPrefix,
      ...(call.runId === undefined ? {} : { runId: call.runId }),
    },
  );
  lastBuilt(parts).set(session, messages);
  events.emit("turn:recorded", session);
  return n;
}

const accounts = new WeakMap<Tokenizer, TokenAccount>();

function accountOf(tokenizer: Tokenizer): TokenAccount {
  const account = accounts.get(tokenizer) ?? tokenAccount(tokenizer);
  accounts.set(tokenizer, account);
  return account;
}

/** Tokens by where they come from; what frames the messages is `other`. */
function bySource(ledger: readonly LedgerRow[], toolTokens: number, all: number): Record<Source, number> {
  const sums: Record<Source, number> = {
    template: 0,
    anchor: 0,
    depth: 0,
    profile: 0,
    history: 0,
    summary: 0,
    tools: toolTokens,
    other: 0,
  };
  let known = toolTokens;
  for (const row of ledger) {
    if (row.position === undefined || row.tokens === undefined) continue;
    sums[sourceOf(row)] += row.tokens;
    known += row.tokens;
  }
  sums.other = Math.max(0, sums.other + all - known);
  return sums;
}

function sourceOf({ kind, id, place }: LedgerRow): Source {
  switch (kind) {
    case "step":
      if (place?.kind === "depth") return "depth";
      return place?.kind === "anchor" ? "anchor" : "template";
    case "profile":
      return "profile";
    case "message":
    case "earlier":
      return "history";
    case "generated":
      return id === "summary" ? "summary" : "other";
    case "fragment":
    case "hint":
      return "other";
  }
}

const built = new WeakMap<GalleyParts, Map<string, readonly ModelMessage[]>>();
const mostSessions = 256;

function lastBuilt(parts: GalleyParts): Map<string, readonly ModelMessage[]> {
  const known = built.get(parts) ?? new Map<string, readonly ModelMessage[]>();
  built.set(parts, known);
  for (const oldest of known.keys()) {
    if (known.size <= mostSessions) break;
    known.delete(oldest);
  }
  return known;
}

async function lastMessages(parts: GalleyParts, sessionId: string): Promise<readonly ModelMessage[] | undefined> {
  const known = lastBuilt(parts).get(sessionId);
  if (known) return known;
  const session = { projectId: parts.project, sessionId };
  const [last] = await parts.store.builds.list(session, { last: 1 });
  return last && (await parts.store.builds.read(session, last.n))?.messages;
}

const sha256 = (text: string | Uint8Array): string => hash("sha256", text, "hex");

/** How many messages from the front are the same: what a provider has cached of them is still good. */
function commonPrefix(before: readonly ModelMessage[], after: readonly ModelMessage[]): number {
  let length = 0;
  while (length < before.length && length < after.length && isSame(before[length], after[length])) length += 1;
  return length;
}

function isSame(a: ModelMessage | undefined, b: ModelMessage | undefined): boolean {
  if (a === b) return true;
  if (!a || !b || a.role !== b.role || typeof a.content !== typeof b.content) return false;
  if (typeof a.content === "string" && a.content !== b.content) return false;
  return digestItem(a, { sha256 }) === digestItem(b, { sha256 });
}
