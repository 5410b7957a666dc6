/** A claim about speed, memory or shares: a ratio from one run, with the peer or the physical limit beside it. */
export interface Claim {
  readonly claim: string;
  readonly against: string;
  readonly peer: string;
  readonly own: string;
  readonly ratio: number;
  /** The most that was promised. */
  readonly limit?: number;
  /** The least that was promised. A claim with neither bound is there to be read, and always kept. */
  readonly least?: number;
}

/** Figures beside the claims, one row each. */
export interface FigureTable {
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

export interface BenchReport {
  /** What was measured, for a reader who has only the output. */
  readonly notes: readonly string[];
  readonly claims: readonly Claim[];
  readonly tables?: readonly FigureTable[];
}

export function isKept({ ratio, limit = Infinity, least = -Infinity }: Claim): boolean {
  return ratio <= limit && ratio >= least;
}

export function promiseOf({ limit, least }: Claim): string {
  if (limit !== undefined) return `≤ ${limit}`;
  return least === undefined ? "–" : `≥ ${least}`;
}
