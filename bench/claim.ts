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
  /** Why the promise may not be kept; told beside it when it is not. */
  readonly gap?: string;
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

export function isPromised({ limit, least }: Claim): boolean {
  return limit !== undefined || least !== undefined;
}

export function isKept({ ratio, limit = Infinity, least = -Infinity }: Claim): boolean {
  return ratio <= limit && ratio >= least;
}

function promiseOf({ limit, least }: Claim): string {
  if (limit !== undefined) return `≤ ${limit}`;
  return least === undefined ? "–" : `≥ ${least}`;
}

/** As it stands in every table: `peer` over here, `Galley` beside it, and whether the promise holds. */
export function claimRow(claim: Claim): Readonly<Record<string, string>> {
  const { ratio } = claim;
  return {
    claim: claim.claim,
    against: claim.against,
    peer: claim.peer,
    Galley: claim.own,
    ratio: String(Number(ratio.toFixed(ratio >= 100 ? 0 : ratio >= 10 ? 1 : 2))),
    promised: promiseOf(claim),
    kept: isPromised(claim) ? (isKept(claim) ? "yes" : "NO") : "",
  };
}

/** Above this, what else a machine does is in the figures. */
const busyLoad = 1;

/** What has to be said of the promises that are not kept. */
export function gapsOf(claims: readonly Claim[], load: number): string[] {
  const busy =
    load > busyLoad ? ` Other work ran beside it (load ${load.toFixed(1)}): measure again on a quiet machine.` : "";
  return claims
    .filter((claim) => !isKept(claim))
    .map(({ claim, against, gap = "no reason is known yet." }) => `${claim}, against ${against}: ${gap}${busy}`);
}
