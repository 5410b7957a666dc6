import {
  type BuildRecord,
  type ExactEncoding,
  type SessionEntry,
  type TokenAccount,
  isBuildRecord,
  loadTokenizer,
  tokenAccount,
} from "@galley/engine";

/** Counts each recorded build with the tokenizer that its record names. */
export async function recordAccounts(entries: readonly SessionEntry[]): Promise<(record: BuildRecord) => TokenAccount> {
  const accounts = new Map<string, TokenAccount>();
  for (const record of entries.filter(isBuildRecord)) {
    const encoding: ExactEncoding = record.tokenizer === "cl100k_base" ? "cl100k_base" : "o200k_base";
    if (!accounts.has(record.tokenizer)) accounts.set(record.tokenizer, tokenAccount(await loadTokenizer(encoding)));
  }
  return (record) => accounts.get(record.tokenizer) as TokenAccount;
}
