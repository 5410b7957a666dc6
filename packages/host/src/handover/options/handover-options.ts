import type { Store } from "../../store/ports/ports.ts";
import type { HandoverLimits } from "./limits.ts";
import { handoverLimitsSchema } from "./limits.ts";
import { newId } from "./new-id.ts";

/** What handover works with. */
export interface HandoverOptions {
  readonly store: Store;
  readonly limits?: Partial<HandoverLimits>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** The same with every default in place. */
export interface Handover {
  readonly store: Store;
  readonly limits: HandoverLimits;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Fills the defaults of handover options in. */
export function openHandover({ store, limits = {}, now = Date.now, newId: makeId }: HandoverOptions): Handover {
  return { store, limits: handoverLimitsSchema.parse(limits), now, newId: makeId ?? (() => newId(now())) };
}
