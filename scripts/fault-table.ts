import { type FaultClaim, faultAreas } from "../packages/host/faults/claim-fault.ts";
import { replaceMarked } from "./marked-part.ts";

/** What became of a test that claimed a fault. */
export interface FaultOutcome {
  readonly claim: FaultClaim;
  readonly state: "held" | "FAILED" | "skipped";
  readonly why?: string;
  readonly durationMs: number;
}

/** What a run has shown, and where. */
export interface FaultRun {
  readonly date: string;
  readonly node: string;
  readonly system: string;
  readonly outcomes: readonly FaultOutcome[];
  /** Tests of the same run that have no row, and the names of those that failed. */
  readonly others: { readonly held: number; readonly failed: readonly string[] };
}

const marks = { begin: "<!-- the table begins: npm run test:faults writes it -->", end: "<!-- the table ends -->" };

/** The page with the table of this run in place of the one that it had. */
export function writeFaultTable(page: string, run: FaultRun): string {
  return replaceMarked(page, marks, faultTable(run));
}

function faultTable({ date, node, system, outcomes, others }: FaultRun): string {
  const rows = mergeRows(outcomes);
  const count = (state: FaultOutcome["state"]): number => rows.filter((row) => row.state === state).length;
  const sums = `${count("held")} held, ${count("FAILED")} failed, ${count("skipped")} skipped`;
  const further =
    others.failed.length === 0
      ? `${others.held} further tests of the same run have no row; all of them held.`
      : `${others.held} further tests of the same run have no row and held; these failed: ${others.failed.map(cell).join("; ")}.`;
  const lines = rows.map(({ claim, state, why, durationMs }) => {
    const rounds = claim.seed === undefined ? `${claim.rounds}` : `${claim.rounds} (seed ${claim.seed})`;
    const result = why === undefined ? state : `${state}: ${why}`;
    return `| ${[claim.area, claim.fault, claim.holds, rounds, result, durationText(durationMs)].map(cell).join(" | ")} |`;
  });
  return [
    `From a run on ${date}, Node ${node}, ${system}: ${sums}.`,
    "",
    "| | fault | what must hold | rounds | result | time |",
    "|---|---|---|---|---|---|",
    ...lines,
    "",
    further,
  ].join("\n");
}

const worst = ["held", "skipped", "FAILED"] as const;

/** One row for each fault: rounds and times are added up, and the worst result counts. */
function mergeRows(outcomes: readonly FaultOutcome[]): readonly FaultOutcome[] {
  const groups = Map.groupBy(outcomes, ({ claim }) => JSON.stringify([claim.area, claim.fault, claim.holds]));
  const rows = [...groups.values()].map(mergeOutcomes);
  const order = ({ claim }: FaultOutcome): number => faultAreas.indexOf(claim.area);
  const name = ({ claim }: FaultOutcome): string => claim.fault;
  return rows.toSorted((a, b) => order(a) - order(b) || (name(a) < name(b) ? -1 : 1));
}

function mergeOutcomes(group: readonly FaultOutcome[]): FaultOutcome {
  const ranked = group.toSorted((a, b) => worst.indexOf(b.state) - worst.indexOf(a.state));
  const [first] = ranked;
  if (!first) throw new Error("A group has at least one outcome.");
  const rounds = group.reduce((sum, { claim, state }) => sum + (state === "skipped" ? 0 : claim.rounds), 0);
  const durationMs = group.reduce((sum, outcome) => sum + outcome.durationMs, 0);
  return { ...first, claim: { ...first.claim, rounds }, durationMs };
}

/** Text that neither ends the cell nor becomes something else. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<", "&lt;").trim();
}

function durationText(ms: number): string {
  if (ms < 1000) return "under 1 s";
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
