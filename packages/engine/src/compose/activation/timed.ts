import type { RecordedEffect } from "../../model/entries.ts";
import { type TimedEffects, effectKey } from "./activation.ts";
import type { Candidate } from "./compile-keys.ts";

type EffectKind = keyof TimedEffects;

/** The recorded effects as they stand in one scan [K2]. */
export interface Timing {
  readonly isSticky: (candidate: Candidate) => boolean;
  /** The number of messages at which it ends, while it holds. */
  cooldownEnd(candidate: Candidate): number | undefined;
  /** What is recorded after the scan. */
  finish(activated: readonly Candidate[]): TimedEffects;
}

/** Takes over what still holds at this length of the chat, sticky before cooldown: a sticky that ends may begin a cooldown. */
export function openTiming(before: TimedEffects, candidates: readonly Candidate[], length: number): Timing {
  const byHash = new Map<number, Candidate>();
  const byKey = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { hash } = candidate.activation;
    if (hash !== undefined && !byHash.has(hash)) byHash.set(hash, candidate);
    if (hash === undefined) byKey.set(effectKey(candidate), candidate);
  }
  const stored: Record<EffectKind, Map<string, RecordedEffect>> = {
    sticky: new Map(Object.entries(before.sticky)),
    cooldown: new Map(Object.entries(before.cooldown)),
  };
  const active: Record<EffectKind, Map<Candidate, RecordedEffect>> = { sticky: new Map(), cooldown: new Map() };

  for (const kind of ["sticky", "cooldown"] as const) {
    for (const [key, effect] of stored[kind]) {
      const { hash, start, end } = effect;
      const candidate = hash === undefined ? byKey.get(key) : byHash.get(hash);
      if (!isEffect(effect) || (length <= start && effect.protected !== true)) stored[kind].delete(key);
      else if (!candidate) {
        if (length >= end) stored[kind].delete(key);
      } else if (!candidate.activation[kind]) stored[kind].delete(key);
      else if (length < end) active[kind].set(candidate, effect);
      else {
        stored[kind].delete(key);
        const { cooldown } = candidate.activation;
        if (kind === "sticky" && cooldown)
          stored.cooldown.set(effectKey(candidate), effectOf(candidate, length, cooldown, true));
      }
    }
  }
  return {
    isSticky: (candidate) => active.sticky.has(candidate),
    cooldownEnd: (candidate) => active.cooldown.get(candidate)?.end,
    finish(activated) {
      for (const candidate of activated) {
        for (const kind of ["sticky", "cooldown"] as const) {
          const duration = candidate.activation[kind];
          const key = effectKey(candidate);
          if (duration && !stored[kind].has(key)) stored[kind].set(key, effectOf(candidate, length, duration, false));
        }
      }
      return { sticky: Object.fromEntries(stored.sticky), cooldown: Object.fromEntries(stored.cooldown) };
    },
  };
}

function isEffect({ start, end }: RecordedEffect): boolean {
  return typeof start === "number" && typeof end === "number";
}

function effectOf(
  { activation: { hash } }: Candidate,
  start: number,
  duration: number,
  isProtected: boolean,
): RecordedEffect {
  return {
    ...(hash === undefined ? {} : { hash }),
    start,
    end: start + duration,
    protected: isProtected,
  };
}
