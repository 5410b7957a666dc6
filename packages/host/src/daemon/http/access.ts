import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Who may come in: the daemon's own token, browsers that came by a one-time link. */
export interface Access {
  readonly token: string;
  /** Whether it is the daemon's own token. */
  isToken(given: string): boolean;
  /** A code for one browser, good once and for ten minutes. */
  newCode(): string;
  /** Takes a code for a session of a browser: the value of its cookie; nothing when the code is not good. */
  redeem(code: string): string | undefined;
  isSession(cookie: string): boolean;
}

export interface AccessOptions {
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

const codeMs = 10 * 60 * 1000;
export const sessionSeconds = 30 * 24 * 60 * 60;
/** The oldest goes when there are more. */
const mostCodes = 100;
const mostSessions = 1000;

/** Everything is known by a keyed digest only: how long a look-up takes says nothing about what is in it. */
export function access({ clock = Date.now }: AccessOptions = {}): Access {
  const token = randomBytes(32).toString("hex");
  const key = randomBytes(32);
  const digestOf = (text: string): string => createHmac("sha256", key).update(text).digest("hex");
  const tokenDigest = Buffer.from(digestOf(token));
  const codes = new Map<string, number>();
  const sessions = new Map<string, number>();

  const put = (into: Map<string, number>, milliseconds: number, most: number): string => {
    const value = randomBytes(24).toString("base64url");
    into.set(digestOf(value), clock() + milliseconds);
    const [oldest] = into.keys();
    if (into.size > most && oldest !== undefined) into.delete(oldest);
    return value;
  };
  return {
    token,
    isToken: (given) => timingSafeEqual(Buffer.from(digestOf(given)), tokenDigest),
    newCode: () => put(codes, codeMs, mostCodes),
    redeem(code) {
      const digest = digestOf(code);
      const until = codes.get(digest);
      codes.delete(digest);
      return until === undefined || clock() >= until ? undefined : put(sessions, sessionSeconds * 1000, mostSessions);
    },
    isSession: (cookie) => clock() < (sessions.get(digestOf(cookie)) ?? 0),
  };
}
