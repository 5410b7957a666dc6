import { GalleyError } from "@galley/engine";
import { type Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { reservedAgentName } from "../config/providers/agent-meta.ts";
import { clientChat } from "../turn/tools/tools-for.ts";
import { canvasDocument, canvasHeaders } from "../inject/canvas/canvas-document.ts";
import { type DaemonProofs, noncePattern } from "./client/daemon-key.ts";
import type { HandlerContext } from "./handlers/handler-context.ts";
import { routeHandlers } from "./handlers/route-handlers.ts";
import { type Access, type Visitor, checkHost, checkOwnPage, isInterface, visitorOf } from "./http/access.ts";
import { type BoundRoutes, bindRoutes } from "./http/bind-routes.ts";
import { sessionMs } from "./http/browser-file.ts";
import type { BrowserSessions } from "./http/browser-sessions.ts";
import { type DaemonLog, pathForLog } from "./http/daemon-log.ts";
import { errorResponse, loginNeeded, toGalleyError } from "./http/error-response.ts";
import { openapiDocument } from "./http/openapi.ts";
import { dataPolicy, notePage, safetyHeaders } from "./http/page-headers.ts";
import { docsFile, studioFiles } from "./http/studio-files.ts";
import { type ToolRoutes, toolRoutes } from "./rpc/tool-routes.ts";
import { ownerSession } from "./tools/tool-session.ts";

export interface DaemonAppOptions extends HandlerContext {
  readonly access: Access;
  readonly log: DaemonLog;
  /** The folder of Studio's build. */
  readonly studio: string | undefined;
  readonly link: () => string;
  /** Asks for a graceful end. */
  readonly stop: () => void;
  /** Shows a command that this is the daemon that the user has started. */
  readonly prove: (nonce: string) => DaemonProofs;
}

/** Everything that the daemon answers over HTTP. */
export function daemonApp(options: DaemonAppOptions): ToolRoutes {
  const { access, agents, browsers, log, version } = options;
  const { redact } = options.galley.redactor;
  const routes = apiRoutes(options);
  const tools = agentTools(options, routes);
  const studio = studioFiles(options.studio);
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
    const error = toGalleyError(cause);
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
  app.use(checkHost);
  app.get("/health", (c) => c.json({ ok: true }));
  app.get("/open", (c) => enter(c, access, browsers));
  app.get("/proof", (c) => c.json(options.prove(nonceOf(c))));

  for (const path of ["/mcp", "/rpc", "/tools"]) app.all(path, (c) => tools.app.fetch(c.req.raw));

  app.use(async (c, next) => {
    checkVisitor(visitorOf(c, access, browsers), c);
    await next();
  });
  addControls(app, options);
  app.route("/api", routes.app);
  app.get("/events", (c) => routes.serve("events.follow", c));
  // Made when it is first asked for: it takes a tenth of the daemon's start.
  let openapi: object | undefined;
  app.get("/openapi.json", (c) => c.json((openapi ??= openapiDocument(version))));
  app.get("/canvas/:name", async (c) => {
    const canvas = await agents.canvas(c.req.param("name"));
    return new Response(canvasDocument(canvas ?? { html: "" }), { headers: canvasHeaders });
  });
  app.get("/docs/:file?", async (c) => (await docsFile(c.req.param("file") ?? "index.html", c.req.raw)) ?? notFound(c));
  app.get("*", async (c) => (await studio(c.req.raw)) ?? notFound(c));
  app.all("*", (c) => notFound(c));
  return { app, close: () => tools.close() };
}

/** What only the user's own programs may do. */
function addControls(app: Hono, { access, browsers, link, stop }: DaemonAppOptions): void {
  app.post("/control/link", (c) => {
    checkOwner(c, access, browsers);
    return c.json({ link: link() });
  });
  app.post("/control/stop", (c) => {
    checkOwner(c, access, browsers);
    stop();
    return c.json({ ok: true });
  });
}

function apiRoutes(options: DaemonAppOptions): BoundRoutes {
  const { access, browsers, galley } = options;
  return bindRoutes(routeHandlers(options), {
    redact: galley.redactor.redact,
    visitorOf: (c) => visitorOf(c, access, browsers),
    heartbeatMs: galley.limits.heartbeatMs,
  });
}

/** Agents come with tokens of their own, which open their tools and nothing else; the daemon's own opens everything. */
function agentTools({ access, agents, galley, log }: DaemonAppOptions, { methods }: BoundRoutes): ToolRoutes {
  const { toolHost } = agents.host;
  return toolRoutes(
    {
      async open(token, through, options) {
        if (!access.isToken(token)) return toolHost.open(token, through, options);
        const { chat = clientChat } = options;
        const { tools } = await galley.toolsFor({ kind: "agent", name: reservedAgentName }, { sharedChat: chat });
        return ownerSession(token, tools, { methods, chat: () => galley.chats.open(chat) });
      },
      noteListing: (sessionId) => toolHost.noteListing(sessionId),
    },
    { redact: galley.redactor.redact, onError: log.writeError },
  );
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
    throw new GalleyError("TokenRefused", "This token only gives access to an agent's tools.", {
      hint: "The token of daemon.json does; it is another one each time that the daemon starts.",
    });
  }
  if (visitor.kind === "browser") checkOwnPage(c);
}

/** A browser shows pages of agents and models; it neither lets others in nor ends the daemon. */
function checkOwner(c: Context, access: Access, browsers: BrowserSessions): void {
  if (visitorOf(c, access, browsers)?.kind === "owner") return;
  throw new GalleyError("Forbidden", "This takes the token of daemon.json.", { hint: "Use the command galley." });
}

/** Whether a person would read the answer. */
function isPage({ req }: Context): boolean {
  return !isInterface(req.path) && (req.header("accept") ?? "").includes("text/html");
}

function nonceOf({ req }: Context): string {
  const nonce = req.query("nonce") ?? "";
  if (noncePattern.test(nonce)) return nonce;
  throw new GalleyError("BadRequest", "A nonce is 64 hexadecimal digits.", { path: "nonce" });
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
