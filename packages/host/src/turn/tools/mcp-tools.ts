import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/client";
import { GalleyError, type JsonObject, type Problem } from "@galley/engine";
import type { AcpMcpServer } from "../../config/providers/acp-mcp-server.ts";
import type { Tool, ToolContent } from "../../tools/tool.ts";
import type { McpServers, ServerTools } from "../services/services.ts";
import { type McpConnection, connectMcp, isUntaken } from "./mcp-connection.ts";

const maxToolsPerServer = 512;
/** How many characters of text a call may give. */
const maxOutputLength = 400_000;
/** In characters of base64, of a picture or a file. */
const maxMediaLength = 8_000_000;

export interface McpServersOptions {
  readonly connectMs: number;
  readonly callMs: number;
}

/** One connection for each server, kept for later turns; one that has died is made again. */
export function mcpServers({ connectMs, callMs }: McpServersOptions): McpServers {
  const open = new Map<string, Promise<McpConnection>>();
  let isClosed = false;
  const made = async (server: AcpMcpServer, folder: string): Promise<McpConnection> => {
    if (isClosed) throw new GalleyError("ToolFailed", "Galley was closed.");
    return connectMcp(server, { folder, connectMs });
  };
  const connect = (server: AcpMcpServer, folder: string): Promise<McpConnection> => {
    const key = JSON.stringify([server, folder]);
    const again = (): Promise<McpConnection> => made(server, folder);
    // At once: a second turn of the same moment waits for this one.
    const next = open.get(key)?.then((known) => (known.isOver() ? again() : known), again) ?? again();
    open.set(key, next);
    return next;
  };
  return {
    async tools(server, folder) {
      try {
        const { tools: listed } = await connect(server, folder);
        const call: Call = async (name, input, signal) => {
          const once = async (): Promise<CallToolResult> =>
            (await connect(server, folder)).call(name, input, { signal, timeout: callMs });
          const taken = once().catch((error: unknown) => {
            if (!isUntaken(error)) throw error;
            return once();
          });
          return contentOf(await taken.catch(saidBy(server.name)), name);
        };
        return offered(server.name, listed, call);
      } catch (cause) {
        return { tools: [], problems: [unreachable(server.name, cause)] };
      }
    },
    async close() {
      isClosed = true;
      const all = [...open.values()];
      open.clear();
      for (const one of all) await (await one.catch(() => undefined))?.close();
    },
  };
}

type Call = (name: string, input: unknown, signal: AbortSignal) => Promise<readonly ToolContent[]>;

const nameRule = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/u;

/** A server may list anything: what no model could be told of, and what is too much, is named and left out. */
function offered(server: string, listed: readonly McpTool[], call: Call): ServerTools {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const tools: Tool[] = [];
  const hidden: string[] = [];
  for (const tool of listed) {
    const name = typeof tool.name === "string" ? tool.name : "";
    if (!nameRule.test(name)) problems.push(leftOut(server, name, "its name is not one that models can call"));
    else if (seen.has(name)) problems.push(leftOut(server, name, "the server lists the name twice"));
    else if (tools.length >= maxToolsPerServer) hidden.push(name);
    else tools.push(toolOf(tool, call));
    seen.add(name);
  }
  if (hidden.length > 0) problems.push(tooMany(server, hidden));
  return { tools, problems: problems.slice(0, maxProblems) };
}

const maxProblems = 20;

function toolOf({ name, title, description = "", inputSchema, annotations }: McpTool, call: Call): Tool {
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: { ...inputSchema } as JsonObject,
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    isRepeatable: annotations?.readOnlyHint === true || annotations?.idempotentHint === true,
    execute: async (input, { signal }) => ({ kind: "result", content: await call(name, input, signal) }),
  };
}

function contentOf({ content, structuredContent, isError }: CallToolResult, name: string): readonly ToolContent[] {
  const parts: ToolContent[] = [];
  let left = maxOutputLength;
  const addText = (text: string): void => {
    const kept = text.slice(0, left).toWellFormed();
    left -= kept.length;
    const cut = text.length - kept.length;
    parts.push({ type: "text", text: cut > 0 ? `${kept}\n[… ${cut} characters were cut off …]` : kept });
  };
  for (const part of content) {
    if (part.type === "text") addText(part.text);
    else if (part.type === "image" || part.type === "audio") {
      const isLarge = part.data.length > maxMediaLength;
      if (isLarge) addText(`[a file of ${part.mimeType} was left out: it is too large]`);
      else parts.push({ type: "media", data: part.data, mediaType: part.mimeType });
    } else addText(JSON.stringify(part));
  }
  if (parts.length === 0 && structuredContent !== undefined) addText(JSON.stringify(structuredContent));
  if (!isError) return parts;
  const said = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  throw new GalleyError("ToolFailed", said.trim() === "" ? `${name} failed.` : said, { path: name });
}

/** An error of a call, as a model reads it. */
function saidBy(server: string): (error: unknown) => never {
  return (error) => {
    throw new GalleyError("ToolFailed", `The MCP server ${server} failed: ${reasonOf(error)}`, { cause: error });
  };
}

/** Clients and `fetch` say why only in the innermost cause of their errors. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message.replace(/\.?$/, ".");
}

function unreachable(server: string, cause: unknown): Problem {
  const message = `The MCP server ${server} gives no tools: ${reasonOf(cause)}`;
  return { severity: "warning", code: "ProviderFailed", message, path: server };
}

function leftOut(server: string, name: string, why: string): Problem {
  const shown = JSON.stringify(name.slice(0, 80));
  return {
    severity: "warning",
    code: "ToolFailed",
    message: `The tool ${shown} of the MCP server ${server} is not offered: ${why}.`,
    path: server,
  };
}

function tooMany(server: string, hidden: readonly string[]): Problem {
  const names = `${hidden.slice(0, 5).join(", ")}${hidden.length > 5 ? ", …" : ""}`;
  const message = `The MCP server ${server} lists more than ${maxToolsPerServer} tools; ${hidden.length} are hidden: ${names}.`;
  return { severity: "warning", code: "ToolFailed", message, path: server };
}
