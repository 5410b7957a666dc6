import {
  GalleyError,
  type ModelMessage,
  type TokenAccount,
  type Tokenizer,
  digestItem,
  tokenAccount,
} from "@galley/engine";
import { tokensBySource } from "@galley/engine/proof";
import type { BuildUsage } from "../../store/ports/build-store.ts";
import type { SessionRef } from "../../store/ports/session-store.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { BuiltCall } from "./build-call.ts";
import type { LoopServices } from "../services/services.ts";
import type { TurnSettings } from "./resolve-settings.ts";

export interface RecordedCall {
  readonly session: string;
  /** The same for the same call: a run that is resumed records it once. */
  readonly key: string;
  readonly plan: Pick<TurnSettings, "model" | "presetId">;
  readonly runId?: string;
}

/** Writes down what a call of a model reads [P2]; gives its number in the session. */
export async function recordCall(parts: LoopServices, built: BuiltCall, call: RecordedCall): Promise<number> {
  const { store, project, redactor, events, now } = parts;
  const { session, plan } = call;
  const account = accountOf(plan.model.tokenizer);
  const digests = built.messages.map(digest256);
  const shared = commonPrefix((await lastDigests(parts, session)) ?? [], digests);
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
      bySource: tokensBySource(built, account),
      cachedPrefix,
      ...(call.runId === undefined ? {} : { runId: call.runId }),
    },
  );
  lastBuilt(parts).set(keyOf(parts, session), digests);
  events.emit("call:recorded", session);
  return n;
}

/** Writes down what the provider has counted. A record that was purged meanwhile must not lose the reply [M7]. */
export async function recordUsage(
  { store }: Pick<LoopServices, "store">,
  session: SessionRef,
  n: number,
  usage: BuildUsage,
): Promise<void> {
  try {
    await store.builds.noteUsage(session, n, usage);
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "NotFound") throw error;
  }
}

const accounts = new WeakMap<Tokenizer, TokenAccount>();

function accountOf(tokenizer: Tokenizer): TokenAccount {
  const account = accounts.get(tokenizer) ?? tokenAccount(tokenizer);
  accounts.set(tokenizer, account);
  return account;
}

// Digests, not messages: a window may hold megabytes, and hundreds of sessions are remembered.
const built = new WeakMap<object, Map<string, readonly string[]>>();
const maxSessions = 256;

function lastBuilt({ store }: LoopServices): Map<string, readonly string[]> {
  const known = built.get(store) ?? new Map<string, readonly string[]>();
  built.set(store, known);
  for (const oldest of known.keys()) {
    if (known.size <= maxSessions) break;
    known.delete(oldest);
  }
  return known;
}

const keyOf = ({ project }: LoopServices, session: string): string => JSON.stringify([project, session]);

async function lastDigests(parts: LoopServices, sessionId: string): Promise<readonly string[] | undefined> {
  const known = lastBuilt(parts).get(keyOf(parts, sessionId));
  if (known) return known;
  const session = { projectId: parts.project, sessionId };
  const [last] = await parts.store.builds.list(session, { last: 1 });
  return last && (await parts.store.builds.read(session, last.n))?.messages.map(digest256);
}

function digest256(message: ModelMessage): string {
  return digestItem(message, { sha256 });
}

/** How many messages from the front are the same: what a provider has cached of them is still good. */
function commonPrefix(before: readonly string[], after: readonly string[]): number {
  let length = 0;
  while (length < before.length && length < after.length && before[length] === after[length]) length += 1;
  return length;
}
