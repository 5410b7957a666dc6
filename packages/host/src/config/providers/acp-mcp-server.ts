/** An MCP server that the agent starts itself and talks to over stdio. */
export interface AcpMcpServerStdio {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: readonly NamedValue[];
}

/** An MCP server that the agent reaches over HTTP. */
export interface AcpMcpServerHttp {
  readonly type: "http" | "sse";
  readonly name: string;
  readonly url: string;
  readonly headers: readonly NamedValue[];
}

/** An MCP server that a session is given, as ACP names it. */
export type AcpMcpServer = AcpMcpServerStdio | AcpMcpServerHttp;

/** An environment variable or a header. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

export function isHttpServer(server: AcpMcpServer): server is AcpMcpServerHttp {
  return "url" in server;
}
