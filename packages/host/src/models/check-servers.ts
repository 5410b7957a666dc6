import * as z from "zod";
import { limitedBody, tooMuchName } from "../limits/limited-body.ts";
import { type ModelServer, withoutPassword } from "./model-server.ts";
import type { CheckOptions, ServerAnswer } from "./models.ts";

export interface CheckServersOptions extends CheckOptions {
  readonly fetch: typeof globalThis.fetch;
  readonly redact: <Value>(value: Value) => Value;
}

// OpenAI, Anthropic and those like them say {data: [{id}]}, Google {models: [{name: "models/…"}]}.
const answerSchema = z.union([
  z.object({ data: z.array(z.object({ id: z.string() })) }).transform(({ data }) => data.map(({ id }) => id)),
  z
    .object({ models: z.array(z.object({ name: z.string() })) })
    .transform(({ models }) => models.map(({ name }) => name.replace(/^models\//, ""))),
]);

/** In bytes; the longest lists that there are have some hundred thousand. */
const maxListLength = 8 * 1024 * 1024;

/** Asks each server that can be used which models it has, all at once. */
export async function checkServers(
  servers: readonly ModelServer[],
  options: CheckServersOptions,
): Promise<readonly ServerAnswer[]> {
  return Promise.all(servers.filter(({ usable }) => usable).map((server) => checkServer(server, options)));
}

async function checkServer(
  server: ModelServer,
  { fetch, redact, timeLimitMs = 3000 }: CheckServersOptions,
): Promise<ServerAnswer> {
  const url = `${server.baseUrl.replace(/\/+$/, "")}/models`;
  const told = { provider: server.name, url: withoutPassword(url) };
  const failed = (why: string): ServerAnswer => ({ ...told, reached: false, why: redact(why), models: [] });
  try {
    const response = await fetch(url, { headers: headersFor(server), signal: AbortSignal.timeout(timeLimitMs) });
    if (response.status === 401 || response.status === 403)
      return failed(`It refused the key (HTTP ${response.status}).`);
    if (!response.ok) return failed(`It answered with HTTP ${response.status}.`);
    const models = answerSchema.parse(await limitedBody(response, { max: maxListLength }).json());
    return redact({ ...told, reached: true, why: `It answers and has ${models.length} models.`, models });
  } catch (error) {
    return failed(reasonOf(error, timeLimitMs));
  }
}

function headersFor({ kind, apiKey, headers }: ModelServer): Record<string, string> {
  const key = apiKey ?? "";
  switch (kind) {
    case "anthropic":
      return { "anthropic-version": "2023-06-01", ...(key ? { "x-api-key": key } : {}), ...headers };
    case "google":
      return { ...(key ? { "x-goog-api-key": key } : {}), ...headers };
    case "openai":
    case "openai-compatible":
      return { ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers };
  }
}

function reasonOf(error: unknown, timeLimitMs: number): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return "It answered with something that is no list of models.";
  if (!(error instanceof Error)) return "It could not be asked.";
  if (error.name === "TimeoutError") return `It did not answer within ${timeLimitMs} ms.`;
  if (error.name === tooMuchName) return error.message;
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return `It could not be reached${code}.`;
}
