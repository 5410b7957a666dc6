export interface McpRequest {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: string } };
}

const schema = { type: "object", properties: { text: { type: "string" } } };
const named = (...names: readonly string[]) =>
  names.map((name) => ({ name, description: `Does ${name}.`, inputSchema: schema }));

function listOf(mode: string): object {
  if (mode === "many") return { tools: named(...Array.from({ length: 5000 }, (_, index) => `tool_${index}`)) };
  if (mode === "endless") return { tools: named(`tool_${Math.random()}`), nextCursor: "more" };
  if (mode === "liar") return { tools: named("echo", "echo", "no name at all", "die", "huge", "fail", "join") };
  return { tools: named("echo") };
}

function called({ name, arguments: given }: NonNullable<McpRequest["params"]>): object {
  if (name === "fail") return { isError: true, content: [{ type: "text", text: "It is closed today." }] };
  const text = name === "huge" ? "x".repeat(1_000_000) : `${process.pid} says ${given?.text}`;
  return { content: [{ type: "text", text }] };
}

/** What a small MCP server answers: good, many, endless, liar. */
export function mcpAnswer({ id, method, params = {} }: McpRequest, mode: string): object {
  const base = { jsonrpc: "2.0", id };
  if (method === "initialize") {
    const serverInfo = { name: "test", version: "1" };
    return { ...base, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo } };
  }
  if (method === "tools/list") return { ...base, result: listOf(mode) };
  if (method === "tools/call") return { ...base, result: called(params) };
  return { ...base, error: { code: -32_601, message: `There is no ${method}.` } };
}
