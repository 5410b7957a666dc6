import type { TestContext } from "vitest";

/** Whether faults are tried as often as can be (`npm run test:faults`), or a few times of each kind (`npm test`). */
export const isThorough = process.env["GALLEY_FAULTS"] === "1";

/** In this order they stand in the table. */
export const faultAreas = [
  "processes that are killed",
  "full disk",
  "disks that fail",
  "clocks",
  "versions",
  "PostgreSQL",
  "tool servers",
  "agents",
  "models",
  "malformed input",
  "load",
] as const;

export type FaultArea = (typeof faultAreas)[number];

/** A row of the table in docs/reliability.md. Tests that claim the same fault in the same words share one row. */
export interface FaultClaim {
  readonly area: FaultArea;
  /** What is done to it, in words that a reader of the table understands. */
  readonly fault: string;
  /** What the test checks, and nothing that it does not check. */
  readonly holds: string;
  /** How often the fault is tried in this run. */
  readonly rounds: number;
  /** What the run can be repeated with, where something is drawn by lot. */
  readonly seed?: number | string;
}

declare module "vitest" {
  interface TaskMeta {
    fault?: FaultClaim;
  }
}

/**
 * Says that the test tries a fault. Called first in the test, so that a failure has its row too; called again, when the
 * rounds are known only later. `npm run test:faults` makes the table of docs/reliability.md from these.
 */
export function claimFault(task: TestContext["task"], claim: FaultClaim): void {
  task.meta.fault = claim;
}
