import type { CompactionEntry } from "../model/entries.ts";
import type { Problem } from "../model/check/errors.ts";
import { type Applied, applyDecision } from "./apply-decision.ts";
import { finish } from "./build.ts";
import type { Compactor } from "./compactor/compactor.ts";
import { runPaused } from "./compactor/run-paused.ts";
import { namesShower } from "./compactor/show-names.ts";
import { type NewSummary, activationEntries, compactionEntry, keptBy, ordinalsOf } from "./decision-entries.ts";
import { summaryOf } from "./fixed-parts.ts";
import { growNames } from "./grow-names.ts";
import { type Plan, planPrepared } from "./plan.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { Build } from "./types.ts";

export interface Summarised {
  readonly build?: Build;
  readonly entry?: CompactionEntry;
  /** Why there is no summary; then the history is dropped instead, and nothing else has changed [F9]. */
  readonly problem?: Problem;
}

/** The share of a summary that its index of names may fill. What it does not need is the compactor's. */
const indexShare = 0.78;
/** Of a small one, half: below this many tokens a compactor has no room for what was asked and decided. */
const minWritten = 220;

/** Asks for a summary, once, puts the index of names behind it, and builds with both if they may be used. */
export async function summarise(prepared: Prepared, plan: Plan, compactor: Compactor): Promise<Summarised> {
  const { account } = prepared.request;
  const { compact, toSummarise } = plan;
  if (!compact || toSummarise.length === 0) return {};
  await compactor.pause?.();
  const applied = applyDecision(prepared, compact);
  const names = await runPaused(growNames(prepared), compactor.pause);
  const countTokens = rememberLast((value) => account.tokenizer.count(value));
  // The label in front and the frame around it are part of what the summary may cost.
  const ordinals = { first: prepared.view.nextOrdinal, isTold: prepared.request.config.recall ?? false };
  const around = account.countPlain(summaryOf({ summary: "", ordinals }) ?? "");
  const maxTokens = Math.max(1, plan.summaryTokens - around);
  const sent = applied.sent.map(({ message }) => message);
  // The model cannot ask by handles.
  const tag = prepared.request.config.recall === false ? { tag: null } : {};
  const { show, fill } = namesShower(names, { sent, countTokens, counter: account.tokenizer, ...tag });
  const indexTokens = Math.min(maxTokens * indexShare, Math.max(maxTokens / 2, maxTokens - minWritten));
  const previous = writtenBefore(prepared.view.compaction);
  let text: unknown;
  try {
    text = await compactor.compact({
      messages: toSummarise.map((entry) => entry.message),
      ...(previous === undefined ? {} : { previousSummary: previous }),
      maxTokens: maxTokens - fill(Math.floor(indexTokens)),
      countTokens,
      ...(account.tokenizer.atLeast ? { atLeast: account.tokenizer.atLeast } : {}),
    });
  } catch (cause) {
    return failed(compactor, `it failed: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  if (text !== undefined && typeof text !== "string") return failed(compactor, "what it gave is not a text");
  if (text === undefined || text.trim() === "") return failed(compactor, "it gave nothing");
  await compactor.pause?.();
  const written = countTokens(text);
  // Counted as it will be sent, which is asked for again.
  const told = ordinalsOf(prepared, keptBy(prepared, applied));
  const sentWith = (names: string): string => summaryOf({ summary: `${text}\n${names}`, ordinals: told }) ?? "";
  const index = show(text, maxTokens - written - 1, (names, { tokens, rest }) => {
    return account.countPlain(sentWith(names), { tokens, rest: sentWith(rest) }) <= plan.summaryTokens;
  });
  const behind = index === "" ? "" : `\n${index}`;
  const summary = { text: text + behind, by: compactor.id, names: { ...names, length: behind.length } };
  return useSummary(prepared, plan, { compactor, applied, summary, atMost: around + Math.max(written, maxTokens) });
}

/** What was counted last is asked for again: by what chose it, and by what uses it. */
function rememberLast(count: (text: string) => number): (text: string) => number {
  let last: { readonly text: string; readonly tokens: number } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, tokens: count(text) };
    return last.tokens;
  };
}

/** What the compactor wrote last time, without the index behind it. */
function writtenBefore(compaction: CompactionEntry | undefined): string | undefined {
  const { summary, names } = compaction ?? {};
  return summary === undefined || !names ? summary : summary.slice(0, summary.length - names.length);
}

interface Made {
  readonly compactor: Compactor;
  readonly applied: Applied;
  readonly summary: NewSummary;
  /** No more tokens than these, with what frames them. */
  readonly atMost: number;
}

function useSummary(prepared: Prepared, plan: Plan, { compactor, applied, summary, atMost }: Made): Summarised {
  const { account } = prepared.request;
  let replaced = prepared.summaryTokens;
  for (const { message } of plan.toSummarise) {
    if (replaced > atMost) break;
    replaced += account.countMessage(message);
  }
  // Counted only where it might be too large.
  const size = (): number => account.countPlain(summary.text);
  if (replaced <= atMost && size() >= replaced)
    return failed(compactor, `its ${size()} tokens are not fewer than the ${replaced} that it would replace`);
  const entry = compactionEntry(prepared, applied, summary);
  const added = [...(prepared.request.added ?? []), entry, ...activationEntries(prepared, applied)];
  const next = prepare({ ...prepared.request, added, overflowHint: false });
  const after = planPrepared(next);
  const build = after.fits ? finish(next, after) : undefined;
  if (!build || build.stats.inputTokens > plan.limit) {
    return failed(compactor, `with its ${size()} tokens the input is still too large`);
  }
  return { build, entry };
}

function failed(compactor: Compactor, reason: string): Summarised {
  const message = `The summary of ${compactor.id} was not used: ${reason}.`;
  const hint = "Old messages are dropped instead; nothing is lost from the session.";
  return { problem: { severity: "warning", code: "CompactionFailed", message, path: "compactor", hint } };
}
