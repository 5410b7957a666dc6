import { APICallError } from "@ai-sdk/provider";
import { type ErrorCode, GalleyError } from "@galley/engine";
import { onOneLine } from "../limits/short-text.ts";
import { keyVariablesOf } from "./model-server.ts";
import type { ResolvedModel } from "./models.ts";

/** Whose error it is, for the message and the hint. */
export type AskedModel = Pick<ResolvedModel, "id" | "provider" | "kind">;

type Trouble =
  | "overflow"
  | "auth"
  | "quota"
  | "limit"
  | "missing"
  | "filtered"
  | "busy"
  | "unreached"
  | "broken"
  | "garbled"
  | "endless"
  | "refused"
  | "other";

interface Facts {
  readonly status: number | undefined;
  readonly said: string;
  /** Everything that was said, codes included, in small letters. */
  readonly all: string;
  readonly isRetryable: boolean;
}

/** Whether the provider says that the request is longer than the model's window. */
export function isOverflow(error: unknown): boolean {
  if (error instanceof GalleyError) return error.code === "ContextOverflow";
  return troubleOf(factsOf(error)) === "overflow";
}

/** What a call of a model threw, or gave as an error in its stream, as an error of ours. */
export function readModelError(error: unknown, asked: AskedModel): GalleyError {
  if (error instanceof GalleyError) return error;
  const facts = factsOf(error);
  const trouble = troubleOf(facts);
  const isError = facts.status !== undefined && facts.status >= 400;
  const status = isError ? ` (HTTP ${facts.status})` : "";
  const said = facts.said === "" ? "." : `: ${facts.said}`;
  const { code, what, retryable, hint } = outcomes[trouble];
  return new GalleyError(code, `${what(asked)}${status}${said}`, {
    path: "model",
    hint: hint(asked),
    retryable: retryable ?? facts.isRetryable,
  });
}

interface Outcome {
  readonly code: ErrorCode;
  readonly what: (asked: AskedModel) => string;
  readonly hint: (asked: AskedModel) => string;
  /** What the SDK says, if absent. */
  readonly retryable?: boolean;
}

const outcomes: Readonly<Record<Trouble, Outcome>> = {
  overflow: {
    code: "ContextOverflow",
    what: ({ id }) => `The request is longer than the window of ${id}`,
    hint: ({ id }) => `Give a smaller budget, or say the real window of ${id} in galley.config (models.overrides).`,
    retryable: false,
  },
  auth: {
    code: "ModelRefused",
    what: ({ provider }) => `${provider} refused the key`,
    hint: keyHint,
    retryable: false,
  },
  quota: {
    code: "ModelRefused",
    what: ({ provider }) => `The account at ${provider} has nothing left to spend`,
    hint: ({ provider }) => `See the billing page of ${provider}, or take another model.`,
    retryable: false,
  },
  limit: {
    code: "ModelFailed",
    what: ({ provider }) => `${provider} takes no more requests for the moment`,
    hint: () => "Wait a little and try again.",
    retryable: true,
  },
  missing: {
    code: "ModelUnavailable",
    what: ({ id, provider }) => `${provider} has no model ${id}`,
    hint: () => "`galley models --check` lists what the servers have; --model demo works without any.",
    retryable: false,
  },
  filtered: {
    code: "ModelRefused",
    what: ({ id }) => `The content filter in front of ${id} stopped the request`,
    hint: () => "Change what is sent, or take another model.",
    retryable: false,
  },
  busy: {
    code: "ModelFailed",
    what: ({ provider }) => `${provider} could not answer`,
    hint: () => "Nothing is wrong with the request: try again.",
    retryable: true,
  },
  unreached: {
    code: "ModelFailed",
    what: ({ provider }) => `${provider} could not be reached`,
    hint: ({ provider, kind }) =>
      kind === "openai-compatible"
        ? `Is ${provider} running? \`galley models --check\` asks it.`
        : "Check the network.",
    retryable: true,
  },
  broken: {
    code: "ModelFailed",
    what: ({ provider }) => `${provider} broke off in the middle of its reply`,
    hint: () => "Nothing of it was kept: try again.",
    retryable: true,
  },
  garbled: {
    code: "ModelFailed",
    what: ({ provider }) => `${provider} sent something that is not of its protocol`,
    hint: ({ provider }) =>
      `Nothing of it was kept: try again. If it stays so, see whether ${provider} is what galley.config says it is.`,
    retryable: true,
  },
  endless: {
    code: "ModelFailed",
    what: ({ provider }) => `${provider} sent more than any reply is long`,
    hint: () => "Something is wrong with the server, or the model repeats itself: try again, or take another model.",
    retryable: false,
  },
  refused: {
    code: "ModelRefused",
    what: ({ provider }) => `${provider} refused the request`,
    hint: () => "`galley explain` shows what was sent.",
    retryable: false,
  },
  other: {
    code: "ModelFailed",
    what: ({ id }) => `The call of ${id} failed`,
    hint: () => "Try again, or take another model.",
  },
};

function keyHint({ provider, kind }: AskedModel): string {
  const [variable] = keyVariablesOf(kind);
  const ownServer = `apiKey of ${provider} in galley.config`;
  return `Check ${variable === undefined ? ownServer : `${variable}, or ${ownServer}`}.`;
}

function troubleOf({ status, all, isRetryable }: Facts): Trouble {
  // A limit for each minute is also told in tokens; what helps there is to wait.
  const isLimit = status === 429 || /rate_limit|tokens per (?:minute|day)|\btpm\b|resource_exhausted/.test(all);
  if (/insufficient_quota|credit balance is too low|billing_hard_limit|payment required/.test(all) || status === 402)
    return "quota";
  if (isLimit) return "limit";
  if (overflowWordings.some((wording) => wording.test(all)) || status === 413) return "overflow";
  if (
    status === 401 ||
    status === 403 ||
    /api key not valid|api_key_invalid|invalid_api_key|authentication_error/.test(all)
  )
    return "auth";
  if (status === 404 || /model_not_found/.test(all)) return "missing";
  if (/content_filter|content_policy|prohibited_content/.test(all)) return "filtered";
  if (status === 408 || status === 409 || (status ?? 0) >= 500 || /overloaded_error|server_error|api_error/.test(all))
    return "busy";
  if (status !== undefined && status >= 400) return "refused";
  if (/not read any further/.test(all)) return "endless";
  if (/json parsing failed|type validation failed|expected a normalized/.test(all)) return "garbled";
  // The headers came, and then not the whole of it.
  if (status !== undefined || /without a finish|^terminated|other side closed/.test(all)) return "broken";
  if (isRetryable || /cannot connect|fetch failed|econn|enotfound|etimedout|socket|terminated|timeout/.test(all))
    return "unreached";
  return "other";
}

/** As much of what a provider said as an error repeats. */
const maxSaid = 500;
/** What an error is about stands at its beginning; the patterns take long over what a server may send behind it. */
const maxReadLength = 20_000;

/** The facts out of whatever shape an SDK or a stream has put them in. */
function factsOf(thrown: unknown): Facts {
  const error = innermost(thrown);
  if (APICallError.isInstance(error)) {
    const { statusCode: status, message, responseBody = "", isRetryable } = error;
    const why = (status ?? 400) < 400 ? causesOf(error) : "";
    const said = saidIn(responseBody) ?? (why || message);
    const all = `${message} ${why} ${responseBody}`.slice(0, maxReadLength).toLowerCase();
    return { status, said: onOneLine(said, maxSaid), all, isRetryable };
  }
  if (error instanceof Error) {
    const all = error.message.slice(0, maxReadLength).toLowerCase();
    return { status: undefined, said: onOneLine(error.message, maxSaid), all, isRetryable: false };
  }
  const text = typeof error === "string" ? error : (JSON.stringify(error) ?? "");
  const all = text.slice(0, maxReadLength).toLowerCase();
  return { status: undefined, said: onOneLine(saidIn(text) ?? text, maxSaid), all, isRetryable: false };
}

/** What lies below an error that only says that something went wrong. */
function causesOf({ cause }: Error): string {
  const said: string[] = [];
  for (let inner = cause; inner instanceof Error && said.length < 4; inner = inner.cause) said.push(inner.message);
  return said.join(": ");
}

/** The SDK wraps what a call threw when it has tried more than once. */
function innermost(thrown: unknown): unknown {
  let error = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error && !isTelling(error); depth += 1) {
    const next = "lastError" in error ? error.lastError : error.cause;
    if (next === undefined || next === null) break;
    error = next;
  }
  return error;
}

/** Below these there is only how a library found it out. */
function isTelling(error: Error): boolean {
  return APICallError.isInstance(error) || /^AI_(?:JSONParse|TypeValidation)Error$/u.test(error.name);
}

/** The sentence for people in an error body: all providers put it into `message`, some into a list or deeper. */
function saidIn(body: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  for (let depth = 0; depth < 4; depth += 1) {
    if (Array.isArray(value)) value = value[0];
    if (typeof value === "string") return value;
    if (typeof value !== "object" || value === null) return undefined;
    const { message, error, response, detail } = value as Readonly<Record<string, unknown>>;
    if (typeof message === "string") return message;
    value = error ?? response ?? detail;
  }
  return undefined;
}

/** How providers and servers say that a request is longer than the model's window. */
const overflowWordings: readonly RegExp[] = [
  // OpenAI, and servers that copy its codes
  /context_length_exceeded|string_above_max_length/,
  /exceeds? the (?:model'?s? )?context window/,
  // OpenAI chat, vLLM, OpenRouter, DeepSeek, Mistral
  /maximum context length/,
  // Anthropic
  /prompt is too long/,
  /input length and `?max_tokens`? exceed context limit/,
  /request_too_large|request exceeds the maximum (?:allowed )?(?:size|number of bytes)/,
  // Google
  /input token count.*exceeds the maximum number of tokens/,
  /input context is too long/,
  // llama.cpp, Ollama, LM Studio
  /exceed_context_size_error|exceeds the available context size/,
  /(?:input|prompt) (?:length )?(?:exceeds|is longer than) the (?:model's )?(?:maximum )?context(?: length| size)?/,
  /tokens to keep from the initial prompt is greater than the context length/,
  // Bedrock, xAI, Moonshot, Groq, Text Generation Inference
  /input is too long for (?:the )?requested model/,
  /maximum prompt length is \d+/,
  /exceeded model token limit/,
  /reduce the length of the messages/,
  /`?inputs`? (?:tokens \+ `?max_new_tokens`? )?must (?:be <=|have less than) \d+/,
];
