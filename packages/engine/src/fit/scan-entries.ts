import { rowOfItem } from "../compose/place/place-items.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { type BuildRequest, requestCheck } from "./window/build-request.ts";
import { prepare } from "./prepare.ts";

/**
 * Every message that comes and goes with the chat, one row each: those that are there in the order in which they came, with
 * why and at which cost, then the others with the rule that kept them out [K3]. Nothing is kept.
 */
export function scanEntries(request: BuildRequest): readonly LedgerRow[] {
  requestCheck(request, "");
  const { resolved } = prepare(request);
  const own = resolved.items.filter((item) => item.activation !== undefined && (item.why ?? item.inactive));
  const came = new Map(resolved.activeIds.map((id, index) => [id, index]));
  const there = own
    .filter((item) => item.why !== undefined)
    .toSorted((a, b) => (came.get(a.id) ?? Infinity) - (came.get(b.id) ?? Infinity))
    .map((item): LedgerRow => {
      const row = rowOfItem(item, false);
      if (item.isNowhere || item.text === "") return row;
      return { ...row, fate: "kept", rule: undefined, tokens: request.account.countPlain(item.text) };
    });
  const others = own.flatMap((item): LedgerRow[] => {
    const { id, role, path, place, inactive } = item;
    return inactive ? [{ kind: "step", id, role, fate: "inactive", path, place, ...inactive }] : [];
  });
  return [...there, ...others];
}
