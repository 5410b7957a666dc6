import { type ErrorCode, GalleyError } from "@galley/engine";
import * as z from "zod";
import { parseDocument } from "../http/read-arguments.ts";
import { valueOf } from "../../tools/run-tool.ts";
import { rpcMethodOf } from "../../tools/tool-specs.ts";
import type { ToolSession } from "../tools/tool-session.ts";

const requestSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
});

interface RpcAnswer {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** In calls. */
const maxBatchSize = 50;

interface JsonRpcOptions {
  /** Called with unexpected errors: the answer says nothing about the inside. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Aborts when the caller has gone. */
  readonly signal?: AbortSignal;
}

/** Answers a JSON-RPC 2.0 message or batch; nothing when it holds notifications only. */
export async function answerJsonRpc(
  body: string,
  session: ToolSession,
  options: JsonRpcOptions = {},
): Promise<RpcAnswer | RpcAnswer[] | undefined> {
  let message: unknown;
  try {
    message = await parseDocument(body);
  } catch (error) {
    return unreadable(error);
  }
  if (!Array.isArray(message)) return answerOne(message, session, options);
  if (message.length === 0 || message.length > maxBatchSize) {
    return rpcFailure(null, -32_600, `A batch holds 1 to ${maxBatchSize} calls.`);
  }
  const answers: RpcAnswer[] = [];
  // In order: a later call may depend on what an earlier one has done.
  for (const one of message) {
    const answer = await answerOne(one, session, options);
    if (answer) answers.push(answer);
  }
  return answers.length > 0 ? answers : undefined;
}

/** The answer to a body that is not a document, or is nested too deeply. */
export function unreadable(error: unknown): RpcAnswer {
  const { code, message } = error instanceof GalleyError ? error : { code: "", message: "The body cannot be read." };
  return rpcFailure(null, code === "BadRequest" ? -32_600 : -32_700, message);
}

async function answerOne(
  message: unknown,
  session: ToolSession,
  options: JsonRpcOptions,
): Promise<RpcAnswer | undefined> {
  const { success, data } = requestSchema.safeParse(message);
  if (!success) return rpcFailure(null, -32_600, "Not a valid JSON-RPC 2.0 request.");
  const answer = await run(data, session, options);
  return data.id === undefined ? undefined : answer;
}

async function run(
  { method, params, id = null }: z.output<typeof requestSchema>,
  session: ToolSession,
  { onError, signal }: JsonRpcOptions,
): Promise<RpcAnswer> {
  const tool = session.tools.find((candidate) => rpcMethodOf(candidate) === method);
  const other = session.methods?.get(method);
  if (!tool && !other) return rpcFailure(id, -32_601, `There is no method ${method} for ${session.token.agentName}.`);
  try {
    const result = tool ? valueOf(await session.call(tool, params, { signal, client: "rpc" })) : await other?.(params);
    return { jsonrpc: "2.0", id, result: asJson(result) };
  } catch (error) {
    if (!(error instanceof GalleyError)) {
      onError?.(error);
      return rpcFailure(id, -32_603, "The method failed.");
    }
    return rpcError(id, error);
  }
}

/** A result that has no form in JSON fails here, and takes no other answer of its batch with it. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null");
}

/** Codes of the protocol; everything else is an error of the application. */
const rpcCodes: Partial<Record<ErrorCode, number>> = {
  ToolInputInvalid: -32_602,
  BadRequest: -32_602,
  TokenRefused: -32_001,
  LoginNeeded: -32_001,
  RequestTooLarge: -32_600,
};

export function rpcError(id: RpcAnswer["id"], error: GalleyError): RpcAnswer {
  return rpcFailure(id, rpcCodes[error.code] ?? -32_000, error.message, error.toJSON());
}

export function rpcFailure(id: RpcAnswer["id"], code: number, message: string, data?: unknown): RpcAnswer {
  return { jsonrpc: "2.0", id, error: { code, message, data } };
}
