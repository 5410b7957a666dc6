/** A claim about speed or memory: a ratio from one run, with the peer or the physical limit beside it. */
export interface Claim {
  readonly claim: string;
  readonly against: string;
  readonly peer: string;
  readonly own: string;
  readonly ratio: number;
  /** The most that was promised. */
  readonly limit: number;
}
