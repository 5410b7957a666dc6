import {
  type McpHttpHandler,
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { GalleyError } from "@galley/engine";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { ownError } from "../http/to-galley-error.ts";
import { parseDocument } from "../http/parse-document.ts";
import { answerJsonRpc, rpcFailure, unreadable } from "./json-rpc.ts";
import { rpcMethodOf, specOf } from "../../tools/tool-specs.ts";
import { mcpServer } from "../mcp/mcp-server.ts";
import type { ToolSession } from "../tools/tool-session.ts";

/** Who may reach the routes of tools, and how large a request may be. */
export interface ToolRoutesOptions {
  /** Names under which the server may be reached, without ports; those of this machine if absent. */
  readonly allowedHosts?: readonly string[];
  /** Names of the sites whose pages may call it; those of this machine if absent. */
  readonly allowedOrigins?: readonly string[];
  /** The largest request, in bytes; 2 MiB if absent. */
  readonly bodyLimitBytes?: number;
  /** Takes secrets out of answers; they stay as they are if absent. */
  readonly redact?: <Value>(value: Value) => Value;
  /** Is told of errors that are none of ours. */
  readonly onError?: (error: unknown) => void;
}

/** Handlers for `/mcp`, `/rpc` and `/tools`, to be mounted in an app or served alone, and what ends them. */
export interface ToolRoutes {
  readonly app: Hono;
  close(): Promise<void>;
}

/** Who turns a token into a session; a `ToolHost` does. */
export interface TokenCheck {
  open(token: string, through: string): ToolSession | Promise<ToolSession>;
  noteListing(sessionId: string): void;
}

/** The tools over HTTP: MCP, JSON-RPC and a plain list. Everything needs a session token. */
export function toolRoutes(host: TokenCheck, options: ToolRoutesOptions = {}): ToolRoutes {
  const { bodyLimitBytes = 2 * 1024 * 1024, redact = (value) => value, onError } = options;
  const hosts = [...(options.allowedHosts ?? localhostAllowedHostnames())];
  const origins = [...(options.allowedOrigins ?? localhostAllowedOrigins())];
  const app = new Hono();
  app.onError((cause, c) => {
    const error = ownError(cause);
    if (error instanceof GalleyError) return c.json(rpcFailure(null, -32_600, error.message), 400);
    onError?.(error);
    return c.json(rpcFailure(null, -32_603, "The request failed."), 500);
  });
  // Before anything is read: a page of another site, or a name that was bent to this machine, gets nothing.
  app.use(async ({ req }, next) => {
    const refused = hostHeaderValidationResponse(req.raw, hosts) ?? originValidationResponse(req.raw, origins);
    return refused ?? (await next());
  });
  // And before a body is read it is known whose it is: a stranger's is not read at all.
  const sessions = new WeakMap<Context, ToolSession>();
  app.use(async (c, next) => {
    const session = await admit(c, host);
    if (session instanceof Response) return session;
    sessions.set(c, session);
    return next();
  });
  const sessionOf = (c: Context): ToolSession => sessions.get(c) as ToolSession;
  const tooLarge = `The request is larger than ${bodyLimitBytes} bytes.`;
  app.use(bodyLimit({ maxSize: bodyLimitBytes, onError: (c) => c.json(rpcFailure(null, -32_600, tooLarge), 413) }));
  const mcp = createMcpHandler(
    ({ authInfo }) => {
      const { session, client } = (authInfo?.extra ?? {}) as unknown as McpExtra;
      return mcpServer(session, { redact, onError, client });
    },
    {
      maxRequestBodySize: bodyLimitBytes,
    },
  );
  app.all("/mcp", (c) => answerMcp(c, sessionOf(c), host, mcp));
  app.post("/rpc", async (c) => {
    const answer = await answerJsonRpc(await c.req.text(), sessionOf(c), { onError, signal: c.req.raw.signal });
    return answer === undefined ? c.body(null, 204) : c.json(redact(answer));
  });
  app.get("/tools", (c) => c.json({ tools: toolList(sessionOf(c)) }));
  return { app, close: () => mcp.close() };
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
  const messages = readMessages(body);
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
function readMessages(body: string): readonly McpMessage[] | GalleyError {
  try {
    const messages: readonly unknown[] = body === "" ? [] : [parseDocument(body)].flat();
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
async function admit(c: Context, host: TokenCheck): Promise<ToolSession | Response> {
  const token = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  if (token === undefined) {
    c.header("WWW-Authenticate", 'Bearer realm="galley"');
    return c.json(rpcFailure(null, -32_001, "A session token is needed: Authorization: Bearer …"), 401);
  }
  try {
    return await host.open(token, c.req.path);
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    c.header("WWW-Authenticate", 'Bearer realm="galley", error="invalid_token"');
    return c.json(rpcFailure(null, -32_001, error.message, error.toJSON()), 403);
  }
}

function toolList({ tools }: ToolSession): readonly object[] {
  return tools.map((tool) => {
    const { name, description, inputSchema: parameters } = specOf(tool);
    return { name, description, rpcMethod: rpcMethodOf(tool), scope: tool.scope ?? "all", parameters };
  });
}
