import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Who may come in: the daemon's own token, and one-time codes by which browsers sign in. */
export interface Access {
  readonly token: string;
  /** Whether it is the daemon's own token. */
  isToken(given: string): boolean;
  /** A code for one browser, good once and for ten minutes. */
  newCode(): string;
  /** Uses a code up; says whether it was good. */
  redeem(code: string): boolean;
}

export interface AccessOptions {
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

const codeMs = 10 * 60 * 1000;
/** The oldest goes when there are more. */
const maxCodes = 100;

/** Everything is known by a keyed digest only: how long a look-up takes says nothing about what is in it. */
export function access({ clock = Date.now }: AccessOptions = {}): Access {
  const token = randomBytes(32).toString("hex");
  const key = randomBytes(32);
  const digestOf = (text: string): string => createHmac("sha256", key).update(text).digest("hex");
  const tokenDigest = Buffer.from(digestOf(token));
  const codes = new Map<string, number>();
  return {
    token,
    isToken: (given) => timingSafeEqual(Buffer.from(digestOf(given)), tokenDigest),
    newCode() {
      const code = randomBytes(24).toString("base64url");
      codes.set(digestOf(code), clock() + codeMs);
      const [oldest] = codes.keys();
      if (codes.size > maxCodes && oldest !== undefined) codes.delete(oldest);
      return code;
    },
    redeem(code) {
      const digest = digestOf(code);
      const until = codes.get(digest);
      codes.delete(digest);
      return until !== undefined && clock() < until;
    },
  };
}
