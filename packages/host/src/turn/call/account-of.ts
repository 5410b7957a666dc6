import { type ModelMessage, type TokenAccount, type Tokenizer, tokenAccount } from "@galley/engine";

const accounts = new WeakMap<Tokenizer, TokenAccount>();

/** What messages cost as a model's builds count them. */
export function tokensOf(messages: readonly ModelMessage[], tokenizer: Tokenizer): number {
  const account = accountOf(tokenizer);
  return messages.reduce((sum, message) => sum + account.countMessage(message), 0);
}

/** Made once for each tokenizer. */
export function accountOf(tokenizer: Tokenizer): TokenAccount {
  const account = accounts.get(tokenizer) ?? tokenAccount(tokenizer);
  accounts.set(tokenizer, account);
  return account;
}
