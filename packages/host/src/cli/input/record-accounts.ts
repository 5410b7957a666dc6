import { type SessionEntry, type TokenAccount, tokenAccount, tokenizerForModel } from "@galley/engine";
import { type BuildRecord, isBuildRecord } from "@galley/engine/proof";

/** Counts each recorded build with the tokenizer that its record names, and pictures as its model's provider does. */
export async function recordAccounts(entries: readonly SessionEntry[]): Promise<(record: BuildRecord) => TokenAccount> {
  const accounts = new Map<string, TokenAccount>();
  let model: string | undefined;
  for (const record of entries.filter(isBuildRecord)) {
    // Records say what has changed since the one before.
    if ("model" in record.inputs)
      model = typeof record.inputs["model"] === "string" ? record.inputs["model"] : undefined;
    accounts.set(record.id, tokenAccount(await tokenizerForModel(model, { id: record.tokenizer })));
  }
  return (record) => accounts.get(record.id) as TokenAccount;
}
