import { type ErrorCode, GalleyError } from "@galley/engine";
import * as z from "zod";
import { parseJson } from "./http/parse-json.ts";
import { rpcMethodOf } from "./host-tool.ts";
import type { ToolSession } from "./tool-host.ts";

const requestSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  params: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
});

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

interface RpcAnswer {
  readonly jsonrpc: "2.0";
  readonly id: string | number | null;
  readonly result?: unknown;
  readonly error?: RpcError;
}

export interface JsonRpcOptions {
  /** Takes secrets out of what errors say. */
  readonly redact?: <Value>(value: Value) => Value;
  /** Told of what went wrong inside, of which the caller learns nothing. */
  readonly onError?: (method: string, error: unknown) => void;
}

/** So many calls may come at once. */
const largestBatch = 50;

/** Answers a JSON-RPC 2.0 message or batch; nothing when it holds notifications only. */
export async function answerJsonRpc(
  body: string,
  session: ToolSession,
  options: JsonRpcOptions = {},
): Promise<RpcAnswer | RpcAnswer[] | undefined> {
  let message: unknown;
  try {
    message = parseJson(body);
  } catch (error) {
    return rpcFailure(null, -32_700, error instanceof GalleyError ? error.message : "The body is not JSON.");
  }
  if (!Array.isArray(message)) return answerOne(message, session, options);
  if (message.length === 0 || message.length > largestBatch) {
    return rpcFailure(null, -32_600, `A batch holds 1 to ${largestBatch} calls.`);
  }
  const answers: RpcAnswer[] = [];
  // In order: a later call may depend on what an earlier one has done.
  for (const one of message) {
    const answer = await answerOne(one, session, options);
    if (answer) answers.push(answer);
  }
  return answers.length > 0 ? answers : undefined;
}

async function answerOne(
  message: unknown,
  session: ToolSession,
  options: JsonRpcOptions,
): Promise<RpcAnswer | undefined> {
  const { success, data } = requestSchema.safeParse(message);
  if (!success) return rpcFailure(null, -32_600, "This is no JSON-RPC 2.0 request.");
  const { method, params, id } = data;
  const answer = await run(method, params, session, id ?? null, options.onError);
  if (id === undefined) return undefined;
  const { redact = (value) => value } = options;
  return answer.error ? { ...answer, error: redact(answer.error) } : answer;
}

async function run(
  method: string,
  params: unknown,
  session: ToolSession,
  id: string | number | null,
  onError: JsonRpcOptions["onError"],
): Promise<RpcAnswer> {
  const tool = session.tools.find((candidate) => rpcMethodOf(candidate) === method);
  const other = session.methods?.get(method);
  if (!tool && !other) return rpcFailure(id, -32_601, `There is no method ${method} for ${session.caller.agent}.`);
  try {
    return { jsonrpc: "2.0", id, result: asJson(await (tool ? session.call(tool, params) : other?.(params))) };
  } catch (error) {
    if (!(error instanceof GalleyError)) {
      onError?.(method, error);
      return rpcFailure(id, -32_603, "The method failed.");
    }
    return rpcFailure(id, rpcCodes[error.code] ?? -32_000, error.message, error.toJSON());
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
};

export function rpcFailure(id: string | number | null, code: number, message: string, data?: unknown): RpcAnswer {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}
