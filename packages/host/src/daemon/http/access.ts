import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { GalleyError } from "@galley/engine";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import type { BrowserSessions, SignedInBrowser } from "./browser-sessions.ts";

/** Who may come in: the daemon's own token, and one-time codes by which browsers sign in. */
export interface Access {
  readonly token: string;
  isToken(given: string): boolean;
  /** A code for one browser, good once and for ten minutes. */
  newCode(): string;
  /** Uses a code up; says whether it was good. */
  redeem(code: string): boolean;
}

const codeMs = 10 * 60 * 1000;
/** The oldest goes when there are more. */
const maxCodes = 100;

/** Everything is known by a keyed digest only: how long a look-up takes says nothing about what is in it. */
export function access(clock: () => number = Date.now): Access {
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

export type Visitor =
  /** The daemon's own token: commands and programs of the same user. */
  | { readonly kind: "owner" }
  /** A browser that came by a one-time link. */
  | { readonly kind: "browser"; readonly browser: SignedInBrowser }
  /** Some other bearer token: of an agent's session, or of no one known. */
  | { readonly kind: "bearer"; readonly token: string };

const localNames = new Set(["localhost", "127.0.0.1", "[::1]"]);
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** A name that was bent to this machine (DNS rebinding) gets nothing, and neither does a page of another site. */
export const checkHost: MiddlewareHandler = async (c, next) => {
  const host = c.req.header("host") ?? "";
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host)?.[1]?.toLowerCase();
  if (name === undefined || !localNames.has(name)) {
    throw new GalleyError("Forbidden", "The daemon is reached by the names of this machine only.", {
      path: "host",
      hint: "Use http://127.0.0.1 with its port.",
    });
  }
  const origin = c.req.header("origin");
  if (origin !== undefined && !isLocal(origin)) {
    throw new GalleyError("Forbidden", "Pages of other sites may not ask here.", { path: "origin" });
  }
  await next();
};

function isLocal(origin: string): boolean {
  return URL.canParse(origin) && localNames.has(new URL(origin).hostname.toLowerCase());
}

/** The token of an `Authorization` header. */
export function tokenOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
}

/** Who asks; nothing when the request does not say so, or with a cookie that is not good. */
export function visitorOf(c: Context, access: Access, browsers: BrowserSessions): Visitor | undefined {
  const authorization = c.req.header("authorization");
  if (authorization !== undefined) {
    const token = tokenOf(authorization);
    if (token === undefined) return undefined;
    return access.isToken(token) ? { kind: "owner" } : { kind: "bearer", token };
  }
  const browser = browsers.find(getCookie(c, browsers.cookieName) ?? "");
  return browser && { kind: "browser", browser };
}

/**
 * A browser sends its cookie also where a page of another port of this machine asks, which counts as the same site. So a
 * request that comes with it must say that it was made by our own page, or by the person.
 */
export function checkOwnPage(c: Context): void {
  const isChange = !safeMethods.has(c.req.method);
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  const isOwnOrigin = origin === `http://${c.req.header("host")}`;
  // A link on another page may open one of ours; a route that is opened so would do what it does, for a page that need not ask.
  const isOpened = c.req.header("sec-fetch-mode") === "navigate" && !isChange && !isInterface(c.req.path);
  const isFine =
    site === undefined ? isOwnOrigin || (!isChange && origin === undefined) : isAllowedSite(site, isChange);
  if ((isFine && (origin === undefined || isOwnOrigin)) || (isOpened && origin === undefined)) return;
  throw new GalleyError("Forbidden", "Only Galley's own pages may do this with the cookie of a browser.", {
    path: "origin",
    hint: "Programs use the token of daemon.json: Authorization: Bearer …",
  });
}

/** What programs and our own pages ask, and not what people read. */
export function isInterface(path: string): boolean {
  return /^\/(?:api|events|rpc|mcp|tools|openapi\.json)(?:\/|$)/.test(path);
}

function isAllowedSite(site: string, isChange: boolean): boolean {
  return site === "same-origin" || (site === "none" && !isChange);
}
