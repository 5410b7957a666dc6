import {
  type BuildStats,
  type Build,
  type LedgerRow,
  type ModelMessage,
  type Problem,
  type SessionEntry,
  type ToolSpec,
  build,
  digestOf,
  redactSecrets,
} from "@galley/engine";
import { sha256 } from "../../disk/sha256.ts";
import type { Budget, BuildInput } from "./build-input.ts";

/** What `galley build --json` prints. */
export interface BuildDocument {
  /** Exactly what is sent, without any field of ours. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly stats: BuildStats;
  /** How much might have been sent, and who said so. */
  readonly budget: Budget;
  readonly digest: string;
  /** The recipe in force and the pattern that chose it. */
  readonly recipe?: { readonly id: string; readonly pattern: string; readonly rule: string };
  /** Length of the prefix that appends do not change, in messages. */
  readonly stablePrefix: number;
  readonly ledger: readonly LedgerRow[];
  readonly entriesToAppend: readonly SessionEntry[];
  readonly warnings: readonly Problem[];
}

export interface BuiltDocument {
  readonly built: Build;
  /** Without secrets. */
  readonly document: BuildDocument;
}

export function buildDocument({ request, secrets, warnings, budget }: BuildInput): BuiltDocument {
  const built = build(request);
  const { messages, tools, stats, recipe, stablePrefix, ledger, entriesToAppend, problems } = built;
  const document: BuildDocument = {
    messages,
    tools,
    stats,
    budget,
    digest: digestOf(built, { sha256, ...(Object.keys(secrets).length > 0 ? { secrets } : {}) }),
    ...(recipe ? { recipe: { id: recipe.recipe.id, pattern: recipe.pattern, rule: recipe.rule } } : {}),
    stablePrefix,
    ledger,
    entriesToAppend,
    warnings: [...warnings, ...problems],
  };
  return { built, document: redactSecrets(document, secrets) };
}

/** Said where a build has no messages: a person may not know what to name. */
export const nothingSent =
  "Nothing is sent. What there is to send is named with --preset, --session, --chat, --system or --input.";
