import { presetCheck } from "../compose/preset/preset-schema.ts";
import { resolveFields } from "../compose/preset/resolve-preset.ts";
import {
  anyListCheck,
  fieldsCheck,
  flagCheck,
  functionCheck,
  listCheck,
  objectCheck,
  onlyFields,
  textCheck,
} from "../model/check/input.ts";
import { toolCheck } from "../model/message-schema.ts";
import type { ReplyKind } from "../compose/activation/activation.ts";
import type { Preset } from "../compose/preset/preset.ts";
import type { CompactionEntry, RuntimeInitEntry, SessionEntry } from "../model/entries.ts";
import { hashId } from "../model/entry-ids.ts";
import { GalleyError, type Problem } from "../model/check/errors.ts";
import { canonicalJson } from "../model/canonical-json.ts";
import type { JsonObject, ModelMessage, ToolSpec } from "../model/messages.ts";
import type { Sha256 } from "../model/sha256.ts";
import { type TokenAccount, tokenAccount } from "../tokens/account.ts";
import type { Tokenizer } from "../tokens/counters/tokenizer.ts";
import type { BuildRequest } from "./window/build-request.ts";
import type { Compactor } from "./compactor/compactor.ts";
import { type InputMessage, inputEntries } from "./log/input-entries.ts";
import { lastOwnEntry } from "./log/repeats.ts";
import { type ContextConfig, resolveLimits } from "./rungs/limits.ts";
import { type RunBuild, runBuild } from "./run-build.ts";
import type { Build, BuildStats } from "./types.ts";
import { view } from "./log/view.ts";

/** Gives what holds just now, such as the time or the locale. What the input says wins. */
export type RuntimeHintProvider = () => JsonObject | Promise<JsonObject>;

/** What stays the same for all builds of a manager. */
export interface ContextManagerInit {
  readonly config: ContextConfig;
  readonly tokenizer: Tokenizer;
  /** Without one, compaction is off: what does not fit is dropped. */
  readonly compactor?: Compactor | undefined;
  readonly runtimeHintProvider?: RuntimeHintProvider | undefined;
  readonly preset?: Preset | undefined;
  readonly model?: string | undefined;
  readonly systemPrompt?: string | undefined;
  /** For the ids of messages that come without one and of what is decided; the engine's own unless given. */
  readonly sha256?: Sha256 | undefined;
}

/** What every call may say besides its messages. */
export interface ContextCallInput {
  readonly sessionEntries: readonly SessionEntry[];
  /** Instead of the configured one. */
  readonly systemPrompt?: string | undefined;
  /** Instead of the configured one. */
  readonly preset?: Preset | undefined;
  /** Instead of the configured one. */
  readonly model?: string | undefined;
  readonly toolSpecs?: readonly ToolSpec[] | undefined;
  readonly userProfile?: string | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** What kind of reply is asked for; `normal` unless said otherwise. */
  readonly reply?: ReplyKind | undefined;
  /** What a quiet reply is asked for. */
  readonly replyPrompt?: string | undefined;
  /** Names the session and the alternate, for draws [K2]. */
  readonly seed?: string | undefined;
  /** The time of the call, ISO 8601 with an offset. */
  readonly now?: string | undefined;
  /** The provider has called the input too long. */
  readonly overflowHint?: boolean | undefined;
  /** What holds just now; the same for all calls of a run, or the provider's cache is of no use. */
  readonly runtimeHints?: JsonObject | undefined;
}

/** What one build gets. */
export interface ContextBuildInput extends ContextCallInput {
  readonly inputMessages?: readonly InputMessage[] | undefined;
  /** Stays the same within a session; a change is an error unless it is asked for. */
  readonly runtimeInitData?: JsonObject | undefined;
  readonly allowRuntimeInitChange?: boolean | undefined;
}

/** What an update in the middle of a run gets. */
export interface ContextUpdateRequest extends ContextCallInput {
  readonly newMessages?: readonly InputMessage[] | undefined;
}

/** A build in the words of the manager. */
export interface ContextBuildResult {
  readonly modelMessages: readonly ModelMessage[];
  readonly modelToolSpecs: readonly ToolSpec[];
  /** True when this call made a new decision about what is left out. */
  readonly compacted: boolean;
  readonly compactionSummaryEntry?: CompactionEntry;
  /** Append these to the session, and nothing else has to be done. */
  readonly entriesToAppend: readonly SessionEntry[];
  readonly stats: BuildStats;
  readonly build: Build;
  /** What went wrong on the way without stopping it, such as a compactor that failed. */
  readonly problems: readonly Problem[];
}

/** What an update would append. */
export interface ContextUpdateResult {
  /** Given when something had to be compacted. */
  readonly updatedMessages?: readonly ModelMessage[];
  readonly compacted: boolean;
  readonly entriesToAppend: readonly SessionEntry[];
  readonly stats: BuildStats;
  readonly problems: readonly Problem[];
}

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

const shared = { preset: presetCheck, model: textCheck, systemPrompt: textCheck };
const configNames = [
  "maxInputTokens",
  "maxHistoryMessages",
  "enableCompaction",
  "reserveOutputTokens",
  "targetRatio",
  "recall",
] as const satisfies readonly (keyof ContextConfig)[];
const initFields = {
  ...shared,
  // The figures are checked by resolveLimits.
  config: onlyFields(fieldsCheck({ enableCompaction: flagCheck, recall: flagCheck }), configNames),
  compactor: fieldsCheck({ id: textCheck, compact: functionCheck, pause: functionCheck }, ["id", "compact"]),
  runtimeHintProvider: functionCheck,
  sha256: functionCheck,
};
const initCheck = onlyFields(fieldsCheck(initFields, ["config"]), ["tokenizer", ...Object.keys(initFields)]);
const callCheck = fieldsCheck(
  {
    ...resolveFields,
    ...shared,
    // Entries and new messages are checked where they are read.
    sessionEntries: anyListCheck,
    toolSpecs: listCheck(toolCheck),
    overflowHint: flagCheck,
    runtimeHints: objectCheck,
    runtimeInitData: objectCheck,
    allowRuntimeInitChange: flagCheck,
  },
  ["sessionEntries"],
);

/**
 * Assembles a model's input from a session, under a budget [F1]. Stateless: it may be used for any number of sessions.
 *
 * @example
 * const tokenizer = await loadTokenizer("o200k_base");
 * const manager = new ContextManager({ config: { maxInputTokens: 8000 }, tokenizer, systemPrompt: "Be brief." });
 * const built = await manager.buildContext({
 *   sessionEntries: [],
 *   inputMessages: [{ role: "user", content: "Hello" }],
 * });
 * built.modelMessages.map(({ role }) => role); // → ["system", "user"]
 * built.entriesToAppend.length; // → 1
 */
export class ContextManager {
  readonly config: ContextConfig;
  readonly tokenizer: Tokenizer;
  readonly compactor: Compactor | undefined;
  readonly runtimeHintProvider: RuntimeHintProvider | undefined;
  readonly #init: ContextManagerInit;
  readonly #account: TokenAccount;
  readonly #buildConfig: ContextConfig;

  constructor(init: ContextManagerInit) {
    initCheck(init, "");
    resolveLimits(init.config);
    if (typeof init.tokenizer?.count !== "function") {
      const hint = "loadTokenizer gives one.";
      throw new GalleyError("ContextInvalidInput", "tokenizer has no count(text).", { path: "tokenizer", hint });
    }
    this.config = init.config;
    this.tokenizer = init.tokenizer;
    this.compactor = init.compactor;
    this.runtimeHintProvider = init.runtimeHintProvider;
    this.#init = init;
    this.#account = tokenAccount(init.tokenizer);
    const enableCompaction = init.config.enableCompaction !== false && init.compactor !== undefined;
    this.#buildConfig = { ...init.config, enableCompaction };
  }

  /** The input for the next model call. Writes nothing: `entriesToAppend` is for the caller to keep. */
  async buildContext(input: ContextBuildInput): Promise<ContextBuildResult> {
    callCheck(input, "");
    const messages = this.#inputEntries(input, "inputMessages", input.inputMessages);
    const added = [...this.#runtimeInit(input), ...messages];
    return this.#run(this.#request(input, added, await this.runtimeHintProvider?.(), input.runtimeInitData));
  }

  /** In the middle of a run: takes new messages in, and compacts if it has to [F10]. Never reorders. */
  async computeContextUpdates(input: ContextUpdateRequest): Promise<ContextUpdateResult> {
    callCheck(input, "");
    const added = this.#inputEntries(input, "newMessages", input.newMessages);
    const result = await this.#run(this.#request(input, added, await this.runtimeHintProvider?.()));
    const { modelMessages, compacted, entriesToAppend, stats, problems } = result;
    return { ...(compacted ? { updatedMessages: modelMessages } : {}), compacted, entriesToAppend, stats, problems };
  }

  /** What these messages cost as an input of their own. */
  estimateTokens(messages: readonly ModelMessage[]): number {
    return this.#account.countInput(messages).tokens;
  }

  #inputEntries(input: ContextCallInput, field: string, messages: readonly InputMessage[] = []): SessionEntry[] {
    return inputEntries(input.sessionEntries, messages, input.now, field, this.#init.sha256);
  }

  #request(
    input: ContextCallInput,
    added: readonly SessionEntry[],
    provided: JsonObject | undefined,
    runtimeInit?: JsonObject,
  ): BuildRequest {
    const init = this.#init;
    const preset = input.preset ?? init.preset;
    const hints = provided || input.runtimeHints ? { ...provided, ...input.runtimeHints } : undefined;
    return {
      entries: input.sessionEntries,
      added,
      config: this.#buildConfig,
      account: this.#account,
      sha256: init.sha256,
      model: input.model ?? init.model,
      preset,
      systemPrompt: input.systemPrompt ?? (preset?.context?.systemPrompt === undefined ? init.systemPrompt : undefined),
      tools: input.toolSpecs,
      userProfile: input.userProfile,
      variables: input.variables,
      reply: input.reply,
      replyPrompt: input.replyPrompt,
      seed: input.seed,
      now: input.now,
      overflowHint: input.overflowHint,
      runtimeInit,
      hints,
    };
  }

  /** At once, unless a compactor has to be asked. */
  #run(request: BuildRequest): ContextBuildResult | Promise<ContextBuildResult> {
    const ran = runBuild(request, this.compactor);
    return ran instanceof Promise ? ran.then((each) => resultOf(request, each)) : resultOf(request, ran);
  }

  #runtimeInit({
    sessionEntries,
    runtimeInitData,
    allowRuntimeInitChange,
    now,
  }: ContextBuildInput): RuntimeInitEntry[] {
    if (!runtimeInitData) return [];
    const before = view(sessionEntries).runtimeInit;
    if (before && canonicalJson(before) === canonicalJson(runtimeInitData)) return [];
    if (before && !allowRuntimeInitChange) {
      throw new GalleyError("ContextInvalidInput", "runtimeInitData differs from what the session was started with.", {
        path: "runtimeInitData",
        hint: "Put what changes into runtimeHints, or set allowRuntimeInitChange.",
      });
    }
    const tail = lastOwnEntry(sessionEntries);
    const id = hashId("r", [tail?.id ?? null, runtimeInitData]);
    return [{ id, ts: now ?? tail?.ts ?? 0, type: "runtime-init", data: runtimeInitData }];
  }
}

function resultOf(request: BuildRequest, { build, tried }: RunBuild): ContextBuildResult {
  const { messages, tools, entriesToAppend, stats, problems } = build;
  const result: Writable<ContextBuildResult> = {
    modelMessages: messages,
    modelToolSpecs: tools,
    compacted: entriesToAppend.some((entry) => entry.type === "compaction" && !request.added?.includes(entry)),
    entriesToAppend,
    stats,
    build,
    problems: tried?.problem ? [...problems, tried.problem] : problems,
  };
  if (tried?.entry) result.compactionSummaryEntry = tried.entry;
  return result;
}
