import * as z from "zod";
import type { Store } from "../../store/ports/ports.ts";
import { newId } from "./new-id.ts";

const secondsPerWeek = 604_800;

const limitsSchema = z.strictObject({
  /** The most tasks of one fork. */
  maxTasksPerFork: z.int().min(1).default(8),
  /** How many tasks may lie above a task. */
  maxDepth: z.int().min(0).default(20),
  /** How many tasks one task may grow to, with all that its agents delegate in turn. */
  maxTasksPerTree: z.int().min(1).default(1000),
  /** Where a request names no deadline. */
  deadlineSeconds: z.int().min(1).max(secondsPerWeek).default(900),
  /** How often a task may fail before it has failed for good. */
  maxFailures: z.int().min(1).default(3),
});

/** How far a task may go [H4]. */
export type HandoverLimits = z.output<typeof limitsSchema>;

/** A whole number of seconds; 0, true and fractions are refused. */
export const deadlineSchema = z
  .int("A deadline is a whole number of seconds.")
  .min(1, "A deadline of 0 seconds has passed before it begins.")
  .max(secondsPerWeek, "A deadline is at most a week.");

/** What handover works with, with every default in place. */
export interface Handover {
  readonly store: Store;
  readonly limits: HandoverLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  /** Profiles of the configuration: they go before those of the store [T15]. */
  readonly profiles: readonly NamedProfile[];
  /** How many tokens a task may be sent; absent where it is run elsewhere, with a model that nothing is known of here. */
  readonly inputTokens?: ((target: TaskTarget) => Promise<number>) | undefined;
}

/** Whom a task is for: as it is stored in its details. */
export interface TaskTarget {
  readonly profileName: string;
  readonly model?: string | undefined;
  readonly preset?: string | undefined;
}

/** Who an agent is, which model and which preset its tasks use. */
export interface ProfileSettings {
  readonly text: string;
  readonly model?: string | undefined;
  readonly preset?: string | undefined;
}

export interface NamedProfile extends ProfileSettings {
  readonly name: string;
}

/** The same as a caller gives it: only the store is needed. */
export interface HandoverOptions extends Partial<Omit<Handover, "limits">> {
  readonly store: Store;
  readonly limits?: Partial<HandoverLimits>;
}

/** Fills the defaults of handover options in. */
export function openHandover(options: HandoverOptions): Handover {
  const { store, limits = {}, now = Date.now, newId: makeId, profiles = [], inputTokens } = options;
  const parsed = limitsSchema.parse(limits);
  return { store, limits: parsed, now, newId: makeId ?? (() => newId(now())), profiles, inputTokens };
}
