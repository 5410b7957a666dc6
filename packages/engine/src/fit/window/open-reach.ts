import type { TokenAccount } from "../../tokens/account.ts";
import { type FarTally, farTally } from "./far-tally.ts";
import type { Limits } from "../rungs/limits.ts";
import { nearSize } from "./near-size.ts";
import type { Reach } from "../log/reach.ts";
import { redactMessage } from "../log/redact-message.ts";

export function openReach(limits: Limits, account: TokenAccount): Reach {
  const near = nearSize(limits, account);
  let opened: FarTally | undefined;
  const openFar = (): FarTally => (opened ??= farTally(limits, near, account.tokenizer.atLeast));
  return {
    take: (entry) => near.take(entry),
    pass: ({ message }, isErased) => openFar().pass(isErased ? redactMessage(message) : message),
    passRun: (entries, from, erased) => openFar().passRun(entries, from, erased),
    finish: (isMasked) => opened?.finish(isMasked),
  };
}
