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
}

/** The same as a caller gives it: only the store is needed. */
export interface HandoverOptions extends Partial<Omit<Handover, "limits">> {
  readonly store: Store;
  readonly limits?: Partial<HandoverLimits>;
}

/** Fills the defaults of handover options in. */
export function openHandover({ store, limits = {}, now = Date.now, newId: makeId }: HandoverOptions): Handover {
  return { store, limits: limitsSchema.parse(limits), now, newId: makeId ?? (() => newId(now())) };
}
