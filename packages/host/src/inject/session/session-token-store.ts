import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";

/** Whom a token speaks for. */
export interface SessionToken {
  readonly token: string;
  readonly agentName: string;
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SessionTokenStoreOptions {
  /** Milliseconds since 1970; if absent by a clock that goes on when the time of day is set. */
  readonly clock?: () => number;
  /** How long a token is good for, in milliseconds; a day if absent. */
  readonly timeToLiveMs?: number;
}

const tokenShape = /^[0-9a-f]{64}$/;
const day = 24 * 60 * 60 * 1000;
const steadyClock = (): number => performance.timeOrigin + performance.now();
/** How many tokens that are no longer good are still masked in texts: an agent may speak of its token after its end. */
const rememberedTokens = 100;

/** Gives out session tokens and says whom one belongs to [I5]. */
export class SessionTokenStore {
  // By a keyed digest: how long a look-up takes says nothing about the tokens that are in it.
  readonly #tokens = new Map<string, SessionToken>();
  readonly #key = randomBytes(32);
  readonly #clock: () => number;
  readonly #timeToLiveMs: number;
  #past: SessionToken[] = [];

  constructor({ clock = steadyClock, timeToLiveMs = day }: SessionTokenStoreOptions = {}) {
    this.#clock = clock;
    this.#timeToLiveMs = timeToLiveMs;
  }

  /** Makes the token of a session. An earlier one of the same session of the same agent is revoked. */
  generate(agentName: string, sessionId: string = randomUUID()): string {
    this.#sweep();
    this.revokeSession(agentName, sessionId);
    const token = randomBytes(32).toString("hex");
    const createdAt = this.#clock();
    const expiresAt = createdAt + this.#timeToLiveMs;
    this.#tokens.set(this.#digest(token), { token, agentName, sessionId, createdAt, expiresAt });
    return token;
  }

  /** Whom the token belongs to; nothing when it is unknown, revoked or too old. */
  validate(token: string): SessionToken | undefined {
    if (!tokenShape.test(token)) return undefined;
    const digest = this.#digest(token);
    const found = this.#tokens.get(digest);
    if (!found || !timingSafeEqual(Buffer.from(found.token), Buffer.from(token))) return undefined;
    if (this.#clock() < found.expiresAt) return found;
    this.#forget(digest, found);
    return undefined;
  }

  /** Gives a token that is still good its whole time again: a session may run for longer than one such time. */
  renew(token: string): boolean {
    const found = this.validate(token);
    if (!found) return false;
    this.#tokens.set(this.#digest(token), { ...found, expiresAt: this.#clock() + this.#timeToLiveMs });
    return true;
  }

  get timeToLiveMs(): number {
    return this.#timeToLiveMs;
  }

  revoke(token: string): void {
    const digest = this.#digest(token);
    const found = this.#tokens.get(digest);
    if (found) this.#forget(digest, found);
  }

  revokeSession(agentName: string, sessionId: string): void {
    this.#forgetAll((token) => token.agentName === agentName && token.sessionId === sessionId);
  }

  revokeAgent(agentName: string): void {
    this.#forgetAll((token) => token.agentName === agentName);
  }

  /** How many tokens are good at this moment. */
  get size(): number {
    this.#sweep();
    return this.#tokens.size;
  }

  /** The tokens that must not show up in any text, newest first: those that are good, and the last that were. */
  known(): readonly SessionToken[] {
    return [...this.#tokens.values(), ...this.#past].reverse();
  }

  #digest(token: string): string {
    return createHmac("sha256", this.#key).update(token).digest("hex");
  }

  #sweep(): void {
    const now = this.#clock();
    this.#forgetAll((token) => now >= token.expiresAt);
  }

  #forgetAll(isMeant: (token: SessionToken) => boolean): void {
    for (const [digest, token] of this.#tokens) if (isMeant(token)) this.#forget(digest, token);
  }

  #forget(digest: string, token: SessionToken): void {
    this.#tokens.delete(digest);
    this.#past = [...this.#past.slice(1 - rememberedTokens), token];
  }
}
