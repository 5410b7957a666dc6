import {
  type LedgerRow,
  type MessageEntry,
  type ModelMessage,
  type Problem,
  type TokenFigure,
  type ToolSpec,
  composePreset,
  tokenAccount,
  tokenizerForModel,
} from "@galley/engine";
import type { BuildInput } from "./build-input.ts";

/** What `galley build --json` prints. */
export interface BuildDocument {
  /** Exactly what is sent, without any field of ours. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly stats: {
    readonly inputTokens: number;
    readonly messageCount: number;
    readonly droppedMessagesCount: number;
    readonly exactness: TokenFigure["exactness"];
    readonly tokenizer: string;
  };
  /** The recipe in force and the pattern that chose it. */
  readonly recipe?: { readonly id: string; readonly pattern: string; readonly rule: string };
  readonly ledger: readonly LedgerRow[];
  readonly entriesToAppend: readonly MessageEntry[];
  readonly warnings: readonly Problem[];
}

export async function buildDocument(input: BuildInput): Promise<BuildDocument> {
  const account = tokenAccount(await tokenizerForModel(input.compose.model));
  const { messages, ledger, recipe, problems } = composePreset({ ...input.compose, account });
  const { tokens, exactness, tokenizer } = account.countInput(messages, input.tools);
  const dropped = ledger.filter((row) => row.kind === "message" && row.position === undefined);
  return {
    messages,
    tools: input.tools,
    stats: {
      inputTokens: tokens,
      messageCount: messages.length,
      droppedMessagesCount: dropped.length + input.session.summarised.count + input.session.dropped.count,
      exactness,
      tokenizer,
    },
    ...(recipe ? { recipe: { id: recipe.recipe.id, pattern: recipe.pattern, rule: recipe.rule } } : {}),
    ledger,
    entriesToAppend: input.added,
    warnings: [...input.warnings, ...problems],
  };
}
