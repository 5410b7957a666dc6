import { GalleyError } from "@galley/engine";
import { type Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { canvasDocument, canvasHeaders } from "../inject/canvas/canvas-document.ts";
import { sessionMs } from "./http/browser-file.ts";
import type { BrowserSessions } from "./http/browser-sessions.ts";
import type { DaemonAgents } from "./agents/daemon-agents.ts";
import type { DaemonLog } from "./http/daemon-log.ts";
import type { Access } from "./http/access.ts";
import type { BoundRoutes } from "./http/bind-routes.ts";
import { docsPage } from "./http/docs-page.ts";
import { errorResponse } from "./http/error-response.ts";
import { type Visitor, checkOwnPage, checkPlace, visitorOf } from "./http/guard.ts";
import { loginNeeded } from "./http/login-needed.ts";
import { openapiDocument } from "./http/openapi.ts";
import { ownError } from "./http/to-galley-error.ts";
import { dataPolicy, notePage, safetyHeaders } from "./http/page-headers.ts";
import { pathForLog } from "./http/path-for-log.ts";
import type { StudioFiles } from "./http/studio-files.ts";
import type { ToolRoutes } from "./rpc/tool-routes.ts";

export interface DaemonAppOptions {
  readonly access: Access;
  readonly browsers: BrowserSessions;
  readonly routes: BoundRoutes;
  readonly tools: ToolRoutes;
  readonly agents: DaemonAgents;
  readonly studio: StudioFiles;
  readonly redact: <Value>(value: Value) => Value;
  readonly log: DaemonLog;
  readonly version: string;
  readonly control: DaemonControl;
}

/** What the commands of the same user may ask of the daemon itself. */
interface DaemonControl {
  /** A link that lets one browser in. */
  link(): string;
  /** Asks for a graceful end. */
  stop(): void;
}

/** Everything that the daemon answers over HTTP. */
export function daemonApp(options: DaemonAppOptions): Hono {
  const { access, browsers, routes, tools, agents, studio, redact, log, version } = options;
  const app = new Hono();
  app.use(async (c, next) => {
    const begun = performance.now();
    await next();
    // A copy: headers of a response that was passed on may be frozen.
    c.res = withSafety(c.res);
    const ms = Math.round((performance.now() - begun) * 10) / 10;
    log.write("request", { method: c.req.method, path: pathForLog(c.req.path), status: c.res.status, ms });
  });
  app.onError((cause, c) => {
    const error = ownError(cause);
    if (!(error instanceof GalleyError)) {
      log.write("error", {
        method: c.req.method,
        path: pathForLog(c.req.path),
        message: error.message,
        stack: error.stack,
      });
    }
    if (error instanceof GalleyError && error.code === "LoginNeeded" && isPage(c)) return loginPage();
    const response = errorResponse(error, redact);
    if (response.status === 401) response.headers.set("www-authenticate", 'Bearer realm="galley"');
    if (response.status === 405) response.headers.set("allow", "GET, POST, PUT, PATCH, DELETE");
    return response;
  });
  app.use(checkPlace());
  app.get("/health", (c) => c.json({ ok: true }));
  app.get("/open", (c) => enter(c, access, browsers));

  // Agents come with tokens of their own, which open their tools and nothing else.
  for (const path of ["/mcp", "/rpc", "/tools"]) app.all(path, (c) => tools.app.fetch(c.req.raw));

  app.use(async (c, next) => {
    checkVisitor(visitorOf(c, access, browsers), c);
    await next();
  });
  app.post("/control/link", (c) => ownerOnly(c, access, browsers, () => ({ link: options.control.link() })));
  app.post("/control/stop", (c) =>
    ownerOnly(c, access, browsers, () => {
      options.control.stop();
      return { ok: true };
    }),
  );
  app.route("/api", routes.app);
  app.get("/events", (c) => routes.serve("events.follow", c));
  const openapi = openapiDocument(version);
  app.get("/openapi.json", (c) => c.json(openapi));
  app.get("/canvas/:name", async (c) => {
    const canvas = await agents.canvas(c.req.param("name"));
    return new Response(canvasDocument(canvas ?? { html: "" }), { headers: canvasHeaders });
  });
  app.get("/docs", () => docsPage("index.html"));
  app.get("/docs/:file", (c) => docsPage(c.req.param("file")));
  app.get("*", async (c) => (await studio.answer(c.req.raw)) ?? notFound(c));
  app.all("*", (c) => notFound(c));
  return app;
}

function withSafety(response: Response): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(safetyHeaders)) if (!headers.has(name)) headers.set(name, value);
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", dataPolicy);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}

function notFound({ req }: Context): never {
  const path = pathForLog(req.path);
  throw new GalleyError("NotFound", `There is nothing at ${path}.`, { path });
}

function checkVisitor(visitor: Visitor | undefined, c: Context): void {
  if (!visitor) throw loginNeeded();
  if (visitor.kind === "bearer") {
    throw new GalleyError("TokenRefused", "This token opens the tools of an agent at most, and not what is here.", {
      hint: "The token of daemon.json does; it is another one each time that the daemon starts.",
    });
  }
  if (visitor.kind === "browser") checkOwnPage(c);
}

/** A browser shows pages of agents and models; it neither lets others in nor ends the daemon. */
function ownerOnly(c: Context, access: Access, browsers: BrowserSessions, act: () => object): Response {
  if (visitorOf(c, access, browsers)?.kind === "owner") return c.json(act());
  throw new GalleyError("Forbidden", "This takes the token of daemon.json.", { hint: "Use the command galley." });
}

/** Whether a person would read the answer. */
function isPage({ req }: Context): boolean {
  const isOfPages = !/^\/(?:api|events|rpc|mcp|tools|openapi\.json)(?:\/|$)/.test(req.path);
  return isOfPages && (req.header("accept") ?? "").includes("text/html");
}

/** The one-time link: a code becomes the cookie of a browser. */
async function enter(c: Context, access: Access, browsers: BrowserSessions): Promise<Response> {
  // Looking whether the link leads somewhere must not use it up.
  if (c.req.method === "HEAD") return c.body(null, 200);
  const before = getCookie(c, browsers.cookieName);
  if (!access.redeem(c.req.query("code") ?? "")) {
    // An old link was opened again in a browser that is signed in.
    if (browsers.find(before ?? "")) return c.redirect("/", 303);
    return loginPage("This link was used already, or is older than ten minutes.");
  }
  const cookie = await browsers.signIn(c.req.header("user-agent") ?? "", before);
  const maxAge = sessionMs / 1000;
  setCookie(c, browsers.cookieName, cookie, { httpOnly: true, sameSite: "Strict", path: "/", maxAge });
  c.header("cache-control", "no-store");
  return c.redirect("/", 303);
}

function loginPage(reason = "This browser has not been let in yet."): Response {
  return notePage(
    "Galley",
    [reason, "Run <code>galley open</code> in the folder of the project, and open the link that it prints."],
    401,
  );
}
