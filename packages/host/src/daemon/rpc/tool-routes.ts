import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { GalleyError } from "@galley/engine";
import { type Context, Hono } from "hono";
import { checkHost, tokenOf } from "../http/access.ts";
import { maxBodySize } from "../http/bind-routes.ts";
import { errorAnswer, toGalleyError } from "../http/error-response.ts";
import { limitBody, parseDocument } from "../http/read-arguments.ts";
import { answerJsonRpc, rpcError, rpcFailure, unreadable } from "./json-rpc.ts";
import { rpcMethodOf, specOf } from "../../tools/tool-specs.ts";
import type { ToolSession } from "../tools/tool-session.ts";

/** What becomes of answers and errors. */
export interface ToolRoutesOptions {
  /** Takes secrets out of answers; they stay as they are if absent. */
  readonly redact?: <Value>(value: Value) => Value;
  /** Called with unexpected errors. */
  readonly onError?: (error: unknown) => void;
}

/** Handlers for `/mcp`, `/rpc` and `/tools`, to be mounted in an app or served alone, and what ends them. */
export interface ToolRoutes {
  readonly app: { readonly fetch: (request: Request) => Response | Promise<Response> };
  close(): Promise<void>;
}

/** What a request says of the session that it wants, beside its token. */
interface OpenOptions {
  /** The chat whose contexts the tools work on: `?chat=KEY`, for the owner's programs. */
  readonly chat?: string | undefined;
}

/** Who turns a token into a session; a `ToolHost` does. */
export interface TokenCheck {
  open(token: string, through: string, options: OpenOptions): ToolSession | Promise<ToolSession>;
  noteListing(sessionId: string): void;
}

/** The tools over HTTP: MCP, JSON-RPC and a plain list. Everything needs a session token. */
export function toolRoutes(
  host: TokenCheck,
  { redact = (value) => value, onError }: ToolRoutesOptions = {},
): ToolRoutes {
  const app = new Hono();
  app.onError((cause, c) => {
    const error = toGalleyError(cause);
    if (!(error instanceof GalleyError)) {
      onError?.(error);
      return c.json(rpcFailure(null, -32_603, "The request failed."), 500);
    }
    const { status } = errorAnswer(error, redact);
    const why = { LoginNeeded: "", TokenRefused: ', error="invalid_token"' }[error.code as string];
    if (why !== undefined) c.header("WWW-Authenticate", `Bearer realm="galley"${why}`);
    return c.json(redact(rpcError(null, error)), status);
  });
  // Before anything is read: a page of another site, or a name that was bent to this machine, gets nothing.
  app.use(checkHost);
  // And before a body is read it is known whose it is: a stranger's is not read at all.
  const sessions = new WeakMap<Context, ToolSession>();
  app.use(async (c, next) => {
    sessions.set(c, await admit(c, host));
    return next();
  });
  const sessionOf = (c: Context): ToolSession => sessions.get(c) as ToolSession;
  app.use(limitBody(maxBodySize));
  let mcp: Promise<McpHttpHandler> | undefined;
  app.all("/mcp", async (c) => {
    mcp ??= mcpHandler({ redact, onError });
    return answerMcp(c, sessionOf(c), host, await mcp);
  });
  app.post("/rpc", async (c) => {
    const answer = await answerJsonRpc(await c.req.text(), sessionOf(c), { onError, signal: c.req.raw.signal });
    return answer === undefined ? c.body(null, 204) : c.json(redact(answer));
  });
  app.get("/tools", (c) => c.json({ tools: toolList(sessionOf(c)) }));
  return { app, close: async () => (await mcp)?.close() };
}

/** Loaded with the first request: most daemons never hear of MCP, and its modules are half of those of a daemon. */
async function mcpHandler({ redact, onError }: ToolRoutesOptions): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { mcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("../mcp/mcp-server.ts"),
  ]);
  return createMcpHandler(
    ({ authInfo }) => {
      const { session, client } = (authInfo?.extra ?? {}) as unknown as McpExtra;
      return mcpServer(session, { redact, onError, client });
    },
    { maxRequestBodySize: maxBodySize },
  );
}

interface McpExtra {
  readonly session: ToolSession;
  /** What the client has called itself in its handshake. */
  readonly client: string | undefined;
}

interface McpMessage {
  readonly method?: unknown;
  readonly params?: { readonly clientInfo?: { readonly name?: unknown } };
}

async function answerMcp(c: Context, session: ToolSession, host: TokenCheck, mcp: McpHttpHandler): Promise<Response> {
  const { token } = session;
  const body = c.req.method === "POST" ? await c.req.raw.clone().text() : "";
  const messages = await readMessages(body);
  if (messages instanceof GalleyError) return c.json(unreadable(messages), 400);
  const extra: McpExtra = { session, client: clientOf(c.req.header(clientHeader)) };
  const response = await mcp.fetch(c.req.raw, {
    authInfo: {
      token: token.token,
      clientId: token.agentName,
      scopes: [],
      expiresAt: Math.floor(token.expiresAt / 1000),
      extra: { ...extra },
    },
  });
  if (messages.some(({ method }) => method === "tools/list")) host.noteListing(token.sessionId);
  const name = nameInHandshake(messages);
  if (name !== undefined) response.headers.set(clientHeader, Buffer.from(name).toString("base64url"));
  return response;
}

/** The messages of a body, or why it is not handed on. */
async function readMessages(body: string): Promise<readonly McpMessage[] | GalleyError> {
  try {
    const messages: readonly unknown[] = body === "" ? [] : [await parseDocument(body)].flat();
    return messages.filter((message): message is McpMessage => typeof message === "object" && message !== null);
  } catch (error) {
    if (error instanceof GalleyError) return error;
    throw error;
  }
}

/**
 * Clients of older revisions say their name once, when they connect, and each request stands alone. The id of the "session"
 * that they get then is that name, and comes back with every request; it opens nothing.
 */
const clientHeader = "mcp-session-id";

function nameInHandshake(messages: readonly McpMessage[]): string | undefined {
  const name = messages.find(({ method }) => method === "initialize")?.params?.clientInfo?.name;
  return typeof name === "string" && name !== "" ? name.slice(0, 100).toWellFormed() : undefined;
}

function clientOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : Buffer.from(header, "base64url").toString("utf8");
}

/** No token is answered with 401, one that is not good with 403 [I5]. */
async function admit({ req }: Context, host: TokenCheck): Promise<ToolSession> {
  const token = tokenOf(req.header("authorization"));
  if (token !== undefined) return host.open(token, req.path, { chat: req.query("chat") });
  throw new GalleyError("LoginNeeded", "A session token is needed: Authorization: Bearer …");
}

function toolList({ tools }: ToolSession): readonly object[] {
  return tools.map((tool) => {
    const { name, description, inputSchema: parameters } = specOf(tool);
    return { name, description, rpcMethod: rpcMethodOf(tool), scope: tool.scope ?? "all", parameters };
  });
}
