import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { GalleyError, type JsonValue } from "@galley/engine";
import type { AssistantPart, FilePart, TextPart, ToolResultOutput } from "@galley/engine/messages";

type StreamPart = LanguageModelV4StreamPart;
type PartOf<Type extends StreamPart["type"]> = Extract<StreamPart, { readonly type: Type }>;

/** A reply as the stream of a model gave it. */
export interface CollectedReply {
  readonly parts: readonly AssistantPart[];
  /** As the model gave them; the content of each is still missing among the parts. */
  readonly files: readonly GivenFile[];
  /** Calls that are ours to serve and whose arguments are not a JSON object, by their place among these calls. */
  readonly unreadable: ReadonlySet<number>;
  /** "other" where the stream did not say. */
  readonly finish: string;
  readonly usage: LanguageModelV4Usage | undefined;
}

interface GivenFile {
  readonly given: PartOf<"file" | "reasoning-file">;
  /** The same file among the parts. */
  readonly kept: Mutable<FilePart>;
}

interface CollectOptions {
  readonly model: string;
  readonly signal: AbortSignal;
  readonly onText?: ((delta: string) => void) | undefined;
  readonly onReasoning?: ((delta: string) => void) | undefined;
}

/**
 * Reads a reply from the stream of a model and tells its words as they come. Throws what the model reports as an error, and where
 * nothing came at all. A stream that is not read to its end is cancelled.
 */
export async function collectReply(
  stream: ReadableStream<StreamPart>,
  { model, signal, ...listeners }: CollectOptions,
): Promise<CollectedReply> {
  const reader = stream.getReader();
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const { take, ...reply } = assemble();
  const words = tellInMoments(listeners);
  let length = 0;
  let finish: PartOf<"finish"> | undefined;
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      if (part.type === "error") throw part.error;
      if (part.type === "finish") finish = part;
      if ("delta" in part) length += part.delta.length;
      if (length > maxReplyLength) throw endlessReply(model);
      take(part);
      if (part.type === "text-delta" || part.type === "reasoning-delta") words.push(part.type, part.delta);
    }
  } finally {
    words.flush();
    signal.removeEventListener("abort", cancel);
    cancel();
  }
  if (!finish && reply.parts.length === 0) throw new Error("The stream ended without a finish.");
  return { ...reply, finish: finish?.finishReason.unified ?? "other", usage: finish?.usage };
}

/** In characters; no model writes as much in one reply. */
const maxReplyLength = 8_000_000;

function endlessReply(model: string): GalleyError {
  return new GalleyError("ModelFailed", `${model} wrote more than ${maxReplyLength} characters and was stopped.`, {
    path: "model",
    hint: "Something is wrong with the server, or the model repeats itself: try again, or take another model.",
  });
}

/** In characters: what is longer is told at once, so that a reply without end is noticed. */
const maxHeld = 2000;

/** Tells pieces that come in one moment as one: there are as many as words. Nothing is held back for longer than that moment. */
function tellInMoments({ onText, onReasoning }: Pick<CollectOptions, "onText" | "onReasoning">) {
  let type: "text-delta" | "reasoning-delta" = "text-delta";
  let held = "";
  let timer: NodeJS.Immediate | undefined;
  const flush = (): void => {
    clearImmediate(timer);
    timer = undefined;
    const said = held;
    held = "";
    if (said !== "") (type === "text-delta" ? onText : onReasoning)?.(said);
  };
  const push = (next: typeof type, delta: string): void => {
    if (next !== type) flush();
    type = next;
    held += delta;
    if (held.length >= maxHeld) flush();
    else timer ??= setImmediate(flush);
  };
  return { push, flush };
}

/** Puts the parts of a reply together; what is of no use in later requests (sources, warnings, raw chunks) is left out. */
function assemble() {
  const parts: AssistantPart[] = [];
  const files: GivenFile[] = [];
  const unreadable = new Set<number>();
  let calls = 0;
  const open = new Map<string, Mutable<TextPart>>();
  const say = (part: PartOf<SaidType>): void => {
    const [kind, step] = part.type.split("-") as ["text" | "reasoning", "start" | "delta" | "end"];
    const key = `${kind} part ${part.id}`;
    if (step === "start") {
      const begun = { type: kind, text: "" } as Mutable<TextPart>;
      open.set(key, begun);
      parts.push(begun);
    }
    const said = open.get(key);
    if (!said) throw new Error(`${key} not found`);
    if ("delta" in part) said.text += part.delta;
    if (part.providerMetadata) said.providerOptions = part.providerMetadata;
    if (step === "end") open.delete(key);
  };
  const call = (part: PartOf<"tool-call">): void => {
    const input = readInput(part.input);
    parts.push(callOf(part, input ?? {}));
    if (part.providerExecuted) return;
    if (input === undefined) unreadable.add(calls);
    calls += 1;
  };
  const file = (given: GivenFile["given"]): void => {
    const { type, mediaType, providerMetadata: providerOptions } = given;
    const kept = { type, mediaType, data: "", providerOptions } as GivenFile["kept"];
    parts.push(kept);
    files.push({ given, kept });
  };
  const take = (part: StreamPart): void => {
    if (isSaid(part)) say(part);
    else if (part.type === "tool-call") call(part);
    // What a provider's own tool gives beforehand is in its whole result again.
    else if (part.type === "tool-result" && !part.preliminary) parts.push(resultOf(part));
    else if (part.type === "tool-approval-request")
      parts.push({ type: part.type, approvalId: part.approvalId, toolCallId: part.toolCallId });
    else if (part.type === "file" || part.type === "reasoning-file") file(part);
  };
  return { parts, files, unreadable, take };
}

type Mutable<Part> = { -readonly [Name in keyof Part]: Part[Name] };
type SaidType = `${"text" | "reasoning"}-${"start" | "delta" | "end"}`;

function isSaid(part: StreamPart): part is PartOf<SaidType> {
  return /^(?:text|reasoning)-(?:start|delta|end)$/u.test(part.type);
}

function callOf(
  { type, toolCallId, toolName, providerExecuted, providerMetadata }: PartOf<"tool-call">,
  input: object,
) {
  return { type, toolCallId, toolName, input, providerExecuted, providerOptions: providerMetadata } as AssistantPart;
}

/** The arguments of a call, if they are an object. Missing arguments are valid. */
function readInput(text: string): object | undefined {
  if (text.trim() === "") return {};
  try {
    const input: unknown = JSON.parse(text, (key, value: unknown) => {
      // A tool that copies such an object by its names would change what it inherits.
      if (key === "__proto__") throw new SyntaxError("__proto__ is not a name of an argument.");
      return value;
    });
    if (input === null) return {};
    return typeof input === "object" && !Array.isArray(input) ? input : undefined;
  } catch {
    return undefined;
  }
}

function resultOf({ type, toolCallId, toolName, result, isError, providerMetadata }: PartOf<"tool-result">) {
  const value = result as JsonValue;
  const said: ToolResultOutput = typeof value === "string" ? { type: "text", value } : { type: "json", value };
  const output: ToolResultOutput = isError ? { type: "error-json", value } : said;
  return { type, toolCallId, toolName, output, providerOptions: providerMetadata } as AssistantPart;
}
