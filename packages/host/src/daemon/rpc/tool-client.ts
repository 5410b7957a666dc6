import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { urlVariable } from "../../agents/agent-session.ts";
import { limitedBody, tooMuchName } from "../../limits/limited-body.ts";
import { tokenRefused } from "../tools/tool-session.ts";

/** Where a session's tools are, and what opens them. */
interface SessionAddress {
  /** Of the MCP server; the other ways in are beside it. */
  readonly url: string;
  readonly token: string;
}

const listSchema = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      rpcMethod: z.string(),
      scope: z.string(),
      parameters: z.record(z.string(), z.unknown()),
    }),
  ),
});
const errorSchema = z.object({
  error: z.object({
    message: z.string(),
    data: z.object({ path: z.string().optional(), hint: z.string().optional() }).optional(),
  }),
});
const resultSchema = z.object({ result: z.unknown() });

export async function listHostTools(address: SessionAddress): Promise<z.output<typeof listSchema>["tools"]> {
  return read(listSchema, await send(address, "tools"), address.url).tools;
}

/** Calls a tool of the session by way of its JSON-RPC method. */
export async function callHostTool(address: SessionAddress, name: string, input: unknown): Promise<unknown> {
  const tools = await listHostTools(address);
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) {
    throw new GalleyError("NotFound", `This session has no tool ${JSON.stringify(name)}.`, {
      path: name,
      hint: `It has ${tools.map((candidate) => candidate.name).join(", ") || "none"}.`,
    });
  }
  const answer = await send(address, "rpc", { jsonrpc: "2.0", id: 1, method: tool.rpcMethod, params: input });
  const { data } = errorSchema.safeParse(answer);
  if (!data) return read(resultSchema, answer, address.url).result;
  const { message, data: details } = data.error;
  throw new GalleyError("ToolFailed", message, { path: details?.path, hint: details?.hint });
}

const listLimitMs = 10_000;
/** A tool may hand its work to others, who take their time; but no call waits for ever. */
const callLimitMs = 3_600_000;
/** In bytes; a tool gives no more. */
const maxAnswerLength = 64 * 1024 * 1024;

async function send({ url, token }: SessionAddress, path: string, body?: object): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(new URL(path, url), {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(body ? callLimitMs : listLimitMs),
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    });
  } catch (cause) {
    throw new GalleyError("AgentFailed", `The tools at ${url} cannot be reached.`, {
      path: "url",
      hint: "They are there as long as the agent runs that they were given to.",
      retryable: true,
      cause,
    });
  }
  if (response.ok) return readDocument(response, url);
  await response.body?.cancel();
  if (response.status !== 401 && response.status !== 403) {
    throw new GalleyError("AgentFailed", `The tools at ${url} answered with HTTP ${response.status}.`, notOurs);
  }
  throw tokenRefused();
}

async function readDocument(response: Response, url: string): Promise<unknown> {
  try {
    return await limitedBody(response, { max: maxAnswerLength }).json();
  } catch (cause) {
    const why =
      cause instanceof Error && cause.name === tooMuchName ? cause.message : "The response is not valid JSON.";
    throw new GalleyError("AgentFailed", `The answer of the tools at ${url} cannot be read. ${why}`, {
      ...notOurs,
      cause,
    });
  }
}

const notOurs = { path: "url", hint: `See whether ${urlVariable} is the address of a Galley that runs.` };

/** A foreign answer must not crash us. */
function read<Schema extends z.ZodType>(schema: Schema, answer: unknown, url: string): z.output<Schema> {
  const { success, data } = schema.safeParse(answer);
  if (success) return data;
  throw new GalleyError("AgentFailed", `What answers at ${url} are not the tools of a session.`, notOurs);
}
