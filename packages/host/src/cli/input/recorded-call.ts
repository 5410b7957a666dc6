import { GalleyError, type SessionEntry, type TokenAccount, tokenAccount, tokenizerForModel } from "@galley/engine";
import { type BuildRecord, isBuildRecord } from "@galley/engine/proof";
import type { StoredBuild } from "../../store/ports/build-store.ts";
import { callOf } from "../../store/logged-builds.ts";
import { openStore } from "../../store/open-store.ts";
import { exists } from "../../disk/data-files.ts";
import type { NamedPlace } from "./place-names.ts";

/** What the model of a call has read: it is in the store. */
export async function readRecordedCall(
  { sessionId, n }: Pick<NamedPlace, "sessionId" | "n">,
  data: string,
): Promise<StoredBuild> {
  const session = { projectId: "default", sessionId };
  const store = exists(data) ? await openStore({ data }) : undefined;
  try {
    const build = store && (await callOf(store, session, n));
    if (build) return build;
  } finally {
    await store?.close();
  }
  const call = n === undefined ? "call" : `call ${n}`;
  throw new GalleyError("NotFound", `${data} has no ${call} of ${sessionId}.`, {
    path: n === undefined ? sessionId : `${sessionId}#${n}`,
    hint: "A call of a chat is named like chat:demo#3. Studio lists them under Inspect; --data names another folder.",
  });
}

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
