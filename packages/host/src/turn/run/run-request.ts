import { hash } from "node:crypto";
import { type JsonObject, type UserMessage, GalleyError, throwOnErrors } from "@galley/engine";
import { messageSchema } from "@galley/engine/schemas";
import { maxDelayMs } from "../../limits/with-timeout.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ModelObject, RunLimits, RunRequest, TurnPlace } from "../services/turn-types.ts";
import type { Branch, PlaceName } from "../places/turn-place.ts";
import { toJson } from "../../store/database/message-body.ts";

/** Everything that a request says besides its place, model and message. */
const optionNames = ["preset", "context", "budget", "system", "variables", "now", "limits", "modelOptions"] as const;
type RequestOptions = Pick<RunRequest, (typeof optionNames)[number]>;

/** What a run was asked for, as it is stored: a process that resumes it knows nothing else. */
interface StoredRequest extends RequestOptions {
  readonly input: UserMessage;
  readonly branch?: Branch | undefined;
  /** Of the request as it was made: the same id with another one is a mistake. */
  readonly fingerprint?: string;
  /** What exists in the process that began it and in no other [T9]. */
  readonly given?: readonly ("model" | "tools")[] | undefined;
}

/** What a run was given that cannot be stored [T9]. */
export interface GivenObjects {
  readonly model?: ModelObject | undefined;
  readonly tools?: readonly Tool[] | undefined;
}

/** The request as it is stored; bytes become base64 text, which means the same. */
export function requestToJson({ input, branch, fingerprint, given, ...asked }: StoredRequest): JsonObject {
  const options = Object.fromEntries(optionNames.map((name) => [name, asked[name]]));
  return toJson({ input, fingerprint, ...options, branch, given }) as JsonObject;
}

/** It was checked before it was stored. */
export function requestFromJson(stored: JsonObject): StoredRequest {
  return stored as unknown as StoredRequest;
}

export function fingerprintOf(request: object): string {
  const { signal: _, runId: __, model, tools, ...asked } = request as Partial<RunRequest>;
  // Of what cannot be written, the name.
  const named = {
    ...(model === undefined ? {} : { model: typeof model === "string" ? model : model.modelId }),
    ...(tools === undefined ? {} : { tools: tools.map(({ name }) => name) }),
  };
  return hash("sha256", JSON.stringify({ ...asked, ...named }), "hex").slice(0, 32);
}

/** The message of the user, whatever form it came in. */
export function userMessage(input: string | UserMessage): UserMessage {
  const message: unknown = typeof input === "string" ? { role: "user", content: input } : input;
  const parsed = messageSchema.safeParse(message);
  if (!parsed.success) {
    throwOnErrors(
      parsed.error.issues.map(({ path, message: what }) => ({
        severity: "error",
        code: "ContextInvalidInput",
        message: `input is not a message of the user: ${[...path.map(String), what].join(": ")}.`,
        path: "input",
        hint: 'Give a text, or {"role": "user", "content": "…"}.',
      })),
    );
  }
  const { role, content } = message as UserMessage;
  const isEmpty = typeof content === "string" ? content.trim() === "" : content.length === 0;
  if ((role as string) === "user" && !isEmpty) return message as UserMessage;
  const what = isEmpty ? "input is empty." : `input is a message of the role ${role}.`;
  throw new GalleyError("ContextInvalidInput", what, { path: "input", hint: "Give what the user says." });
}

export interface ResolvedLimits {
  readonly maxCalls: number;
  readonly maxToolCallsPerReply: number;
  readonly maxMilliseconds: number;
}

const defaultLimits: ResolvedLimits = { maxCalls: 25, maxToolCallsPerReply: 20, maxMilliseconds: 600_000 };

export function resolveLimits(limits: RunLimits = {}): ResolvedLimits {
  const given = { ...defaultLimits, ...limits };
  for (const [name, value] of Object.entries(given)) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new GalleyError("BadRequest", `limits.${name} is ${String(value)}, but must be a whole number above 0.`, {
      path: `limits.${name}`,
      hint: "Leave it out for the usual limit.",
    });
  }
  return { ...given, maxMilliseconds: Math.min(given.maxMilliseconds, maxDelayMs) };
}

export interface RunStart extends RequestOptions {
  readonly runId: string;
  /** The id was made for this run: nobody can have used it before. */
  readonly hasNewId: boolean;
  /** The same when the same is asked for again. */
  readonly fingerprint: string;
  readonly place: TurnPlace;
  readonly model?: string | ModelObject | undefined;
  readonly tools?: readonly Tool[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Throws when it was not asked for as it should be. */
  readonly check: () => void;
  /** Set where what is answered is whatever was said last: that is not known while what comes before it is handed back. */
  readonly answersLastMessage?: boolean;
  /** Called when it is the run's turn in its place: what it answers may depend on what came before. */
  readonly prepare: (place: PlaceName) => Promise<PreparedRun>;
}

export interface PreparedRun {
  readonly input: UserMessage;
  readonly inputTs: number;
  readonly branch?: Branch;
}
