import { createHash, randomBytes } from "node:crypto";
import { type BrowserFile, type SavedSession, sessionMs } from "./browser-file.ts";
import { loginNeeded } from "./error-response.ts";

/** A browser that is signed in, as a person is told of it. */
type BrowserSession = Omit<SavedSession, "digest">;

/** The browser that a request comes from. */
export interface SignedInBrowser {
  readonly id: string;
  /** Aborts when it is signed out. */
  readonly signedOut: AbortSignal;
}

interface BrowserSessionsOptions {
  readonly file: BrowserFile;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly onChange?: () => void;
  /** Called when something that can wait could not be written. */
  readonly onError?: (error: unknown) => void;
}

interface Entry {
  session: SavedSession;
  readonly end: AbortController;
}

/** The oldest goes when there are more. */
const maxSessions = 200;
const minute = 60_000;
/** When a browser was last seen is exact while the daemon runs, and this exact after a crash. */
const seenMs = 10 * minute;

const digestOf = (cookie: string): string => createHash("sha256").update(cookie).digest("hex");

/** The browsers that came by a one-time link. They stay signed in when the daemon is started again. */
export class BrowserSessions {
  readonly cookieName: string;
  /** Why a restart signs them out; absent when it does not. */
  readonly problem: string | undefined;
  readonly #options: Required<BrowserSessionsOptions>;
  /** By the digests of their cookies, the oldest first. */
  readonly #entries = new Map<string, Entry>();
  readonly #timer: NodeJS.Timeout;
  #port: number | undefined;
  #writing: Promise<void> = Promise.resolve();
  #savedAt: number;

  constructor({
    file,
    clock = Date.now,
    onChange = () => undefined,
    onError = () => undefined,
  }: BrowserSessionsOptions) {
    this.#options = { file, clock, onChange, onError };
    // Cookies know no ports: daemons of two data folders must not sign each other's browsers out.
    this.cookieName = `galley_${file.folderId}`;
    this.problem = file.problem;
    const { port, sessions } = file.read();
    this.#port = port;
    for (const session of sessions) this.#entries.set(session.digest, { session, end: new AbortController() });
    this.#savedAt = clock();
    this.#dropEnded();
    this.#timer = setInterval(() => this.#dropEnded(), minute).unref();
  }

  get port(): number | undefined {
    return this.#entries.size > 0 ? this.#port : undefined;
  }

  async settle(port: number): Promise<void> {
    if (this.#port === port) return;
    this.#port = port;
    if (this.#entries.size > 0) await this.#save().catch(this.#options.onError);
  }

  /** Gives a new value for the cookie of a browser; one that was signed in before keeps its place in the list. */
  async signIn(userAgent: string, cookieBefore = ""): Promise<string> {
    const now = this.#options.clock();
    const cookie = randomBytes(24).toString("base64url");
    const digest = digestOf(cookie);
    const before = this.find(cookieBefore) && this.#entries.get(digestOf(cookieBefore));
    const id = before?.session.id ?? randomBytes(6).toString("hex");
    const session = { id, digest, ...browserName(userAgent), signedInAt: now, seenAt: now, endsAt: now + sessionMs };
    if (before) this.#entries.delete(before.session.digest);
    // Streams of its other tabs go on, and end with the new session.
    this.#entries.set(digest, { session, end: before?.end ?? new AbortController() });
    const [oldest] = this.#entries.values();
    if (this.#entries.size > maxSessions && oldest) this.#end(oldest);
    // A disk that is full must not lock the person out, who may want to look what fills it.
    await this.#save().catch(this.#options.onError);
    this.#options.onChange();
    return cookie;
  }

  find(cookie: string): SignedInBrowser | undefined {
    const entry = this.#entries.get(digestOf(cookie));
    const now = this.#options.clock();
    if (!entry || now >= entry.session.endsAt) return undefined;
    entry.session = { ...entry.session, seenAt: now };
    if (now - this.#savedAt >= seenMs) this.#save().catch(this.#options.onError);
    return { id: entry.session.id, signedOut: entry.end.signal };
  }

  list(): readonly BrowserSession[] {
    this.#dropEnded();
    const sessions = [...this.#entries.values()].map(({ session }) => session).reverse();
    return sessions.map(({ digest: _digest, ...session }) => session);
  }

  /** Signs those out that are asked for, for good; says how many. */
  async signOut(isMeant: (session: BrowserSession) => boolean): Promise<number> {
    const meant = [...this.#entries.values()].filter(({ session }) => isMeant(session));
    for (const entry of meant) this.#end(entry);
    if (meant.length === 0) return 0;
    this.#options.onChange();
    // Thrown where it cannot be written: after a restart they would be signed in again.
    await this.#save();
    return meant.length;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#entries.size > 0) await this.#save().catch(this.#options.onError);
    await this.#writing;
  }

  #end({ session, end }: Entry): void {
    this.#entries.delete(session.digest);
    end.abort(loginNeeded());
  }

  #dropEnded(): void {
    const now = this.#options.clock();
    for (const entry of this.#entries.values()) if (now >= entry.session.endsAt) this.#end(entry);
  }

  /** One after the other, each with what there is by then. */
  #save(): Promise<void> {
    this.#savedAt = this.#options.clock();
    const written = this.#writing.then(async () => {
      const sessions = [...this.#entries.values()].map(({ session }) => session);
      await this.#options.file.write({ port: this.#port, sessions });
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

// Most browsers claim to be several others as well, so that the more special one comes first.
const browsers: readonly (readonly [string, RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/(\d{1,4})/],
  ["Opera", /\b(?:OPR|Opera)\/(\d{1,4})/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d{1,4})/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d{1,4})/],
  ["Chrome", /\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\/(\d{1,4})/],
  ["Safari", /\bVersion\/(\d{1,4})[\d.]* (?:Mobile\/\w+ )?Safari\//],
];

const systems: readonly (readonly [string, RegExp])[] = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(?:iPhone|iPad|iPod)\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMacintosh\b/],
  ["Linux", /\bLinux\b/],
];

const maxNameLength = 40;

/** Reads a `User-Agent`. It may say anything: only letters, digits and a few marks of an unknown one are kept. */
export function browserName(userAgent: string): Pick<SavedSession, "name" | "system"> {
  const text = userAgent.slice(0, 1000);
  const system = systems.find(([, pattern]) => pattern.test(text))?.[0];
  const known = browsers.flatMap(([name, pattern]) => {
    const version = pattern.exec(text)?.[1];
    return version === undefined ? [] : [`${name} ${version}`];
  });
  const cleaned = text.replace(/[^A-Za-z0-9 ./_-]+/g, " ").trim();
  const name = known[0] ?? cleaned.slice(0, maxNameLength).trim();
  return { name, system };
}
