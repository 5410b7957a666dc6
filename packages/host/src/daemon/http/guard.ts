import { GalleyError } from "@galley/engine";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import type { BrowserSessions, SignedInBrowser } from "./browser-sessions.ts";
import type { Access } from "./access.ts";

export type Visitor =
  /** The daemon's own token: commands and programs of the same user. */
  | { readonly kind: "owner" }
  /** A browser that came by a one-time link. */
  | { readonly kind: "browser"; readonly browser: SignedInBrowser }
  /** Some other bearer token: of an agent's session, or of nobody. */
  | { readonly kind: "bearer"; readonly token: string };

const localNames = new Set(["localhost", "127.0.0.1", "[::1]"]);
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** A name that was bent to this machine (DNS rebinding) gets nothing, and neither does a page of another site. */
export function checkPlace(): MiddlewareHandler {
  return async (c, next) => {
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
}

function isLocal(origin: string): boolean {
  return URL.canParse(origin) && localNames.has(new URL(origin).hostname.toLowerCase());
}

/** Who asks; nothing when the request does not say so, or with a cookie that is not good. */
export function visitorOf(c: Context, access: Access, browsers: BrowserSessions): Visitor | undefined {
  const authorization = c.req.header("authorization");
  if (authorization !== undefined) {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
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
  const isOpened = c.req.header("sec-fetch-mode") === "navigate" && !isChange;
  const isFine =
    site === undefined ? isOwnOrigin || (!isChange && origin === undefined) : isAllowedSite(site, isChange);
  if ((isFine && (origin === undefined || isOwnOrigin)) || (isOpened && origin === undefined)) return;
  throw new GalleyError("Forbidden", "Only Galley's own pages may do this with the cookie of a browser.", {
    path: "origin",
    hint: "Programs use the token of daemon.json: Authorization: Bearer …",
  });
}

function isAllowedSite(site: string, isChange: boolean): boolean {
  return site === "same-origin" || (site === "none" && !isChange);
}
