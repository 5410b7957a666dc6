import type { ResolvedItem, ResolvedPreset } from "../compose/preset/resolve-preset.ts";
import type { TokenAccount } from "../tokens/account.ts";
import type { BuildRequest } from "./window/build-request.ts";

/** How much each message costs beyond its own count, where something has to go. */
export interface SizeRule {
  readonly perMessage: number;
  /** Of an item, from its own count. */
  itemTokens(item: ResolvedItem, tokens: number): number;
  /** Of what is put in once everything has its place. */
  readonly added: number;
}

const ownSizes: SizeRule = { perMessage: 0, itemTokens: (_item, tokens) => tokens, added: 0 };

/** SillyTavern counts one token more for each message; a name costs its text and one more. */
const more = 1;
/** Role and delimiters, which texts that become one message have once. */
const frame = 4;

/**
 * Imported presets decide by SillyTavern's count what has to go, so that the same messages stay [X1]. What a build costs is
 * counted as always.
 */
export function sizeRule({ preset, account }: BuildRequest, resolved: ResolvedPreset): SizeRule {
  if (preset?.activation?.like !== "sillytavern") return ownSizes;
  const seen = new Set<string>();
  const nudge = resolved.postProcessing?.continueLast;
  return {
    perMessage: more,
    added: nudge === undefined ? 0 : account.countPlain(nudge) + more,
    itemTokens(item, tokens) {
      const name = item.speaker === undefined ? 0 : textTokens(item.speaker, account) + more;
      const place = placeOf(item);
      if (place === undefined || !seen.has(place)) {
        if (place !== undefined) seen.add(place);
        return tokens + name + more;
      }
      return tokens - frame + name + more;
    },
  };
}

function textTokens(text: string, account: TokenAccount): number {
  return account.countPlain(text) - frame;
}

/** Items of one such place become one message. */
function placeOf({ place, role, strategy, keepApart }: ResolvedItem): string | undefined {
  if (place.kind === "list" || keepApart) return undefined;
  return JSON.stringify([role, strategy?.group, place]);
}
