import { extractiveCompactor } from "../fit/compactor/extractive-compactor.ts";
import { ContextManager } from "../fit/context-manager.ts";
import { anyListCheck, fieldsCheck, functionCheck, listCheck, numberCheck } from "../model/check/input.ts";
import type { SessionEntry } from "../model/entries.ts";
import { type TokenAccount, accountCheck } from "../tokens/account.ts";
import { fittedInputs, loggedInputs, replayedMessages } from "./replayed-inputs.ts";
import { type Retention, measureRetention } from "./retention.ts";

/** How much of what replies repeat was in the input of their calls, for one way to fit a conversation. */
export interface LogRetention extends Retention {
  /** What Galley would have fitted it into; `null` for the inputs that the log tells of. */
  readonly budget: number | null;
}

export interface LogRetentionOptions {
  readonly account: TokenAccount;
  /** In tokens. The smallest one says what is far in the inputs that the log tells of. */
  readonly budgets: readonly number[];
  /** Awaited before each message that is replayed: for those who let other work go on between, or stop. */
  readonly pause?: (() => Promise<void> | undefined) | undefined;
}

const optionsCheck = fieldsCheck({ account: accountCheck, budgets: listCheck(numberCheck), pause: functionCheck }, [
  "account",
  "budgets",
]);

/**
 * Replays a conversation [R5]: as its log tells it, with the compactions in it, and as a run of Galley would have fitted it into
 * each budget, with summaries and handles. No model is asked.
 *
 * @example
 * const account = tokenAccount(await loadTokenizer("o200k_base"));
 * const said = (id, role, content) => ({ id, ts: 0, type: "message", message: { role, content } });
 * const log = [said("a", "user", "Look at src/hull.ts"), said("b", "assistant", "I open src/hull.ts.")];
 * const [asItWas, fitted] = await logRetention(log, { account, budgets: [8000] });
 * [asItWas.names.present, fitted.names.present]; // → [1, 1]
 */
export async function logRetention(
  entries: readonly SessionEntry[],
  options: LogRetentionOptions,
): Promise<readonly LogRetention[]> {
  anyListCheck(entries, "entries");
  optionsCheck(options, "options");
  const { account, budgets, pause } = options;
  const logged = loggedInputs(entries);
  const asItWas = { account, budget: Math.min(...budgets), inputOf: logged.inputOf, pause };
  // Its agent had a budget of its own, which the log does not tell.
  const rows: LogRetention[] = [{ budget: null, ...(await measureRetention(logged.messages, asItWas)), overBudget: 0 }];
  for (const budget of budgets) {
    const messages = replayedMessages(entries, account, budget);
    const config = { maxInputTokens: budget, recall: true };
    const manager = new ContextManager({ config, tokenizer: account.tokenizer, compactor: extractiveCompactor() });
    const { inputOf, reaches } = fittedInputs(messages, manager);
    const measured = await measureRetention(messages, { account, budget, inputOf, reaches, pause });
    rows.push({ budget, ...measured });
  }
  return rows;
}
