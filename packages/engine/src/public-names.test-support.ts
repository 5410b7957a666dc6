import {
  ContextManager,
  type LedgerRow,
  type ModelMessage,
  type Preset,
  type SessionEntry,
  type Tokenizer,
  build,
  extractiveCompactor,
  recordBuild,
  tokenAccount,
} from "./index.ts";
import { logArguments } from "./fit/testing/log-arguments.ts";
import { modelCatalogue } from "./models.ts";
import { importReport, importTavern, readTavernFile } from "./sillytavern.ts";
import { toAiSdk, toAnthropic, toGemini, toOpenAiChat, toOpenAiResponses } from "./wire.ts";

// What a caller would give to each public name: what the fuzz damages.
const letters: Tokenizer = { id: "letters", exactness: "exact", count: (text) => text.length, atLeast: () => 0 };
const account = tokenAccount(letters);
const config = { maxInputTokens: 2000, maxHistoryMessages: 50, reserveOutputTokens: 10, targetRatio: 0.5 };
const seen = { type: "text", text: "Seen." } as const;
const picture = { type: "image-data", data: "iVBORw0KGgo=", mediaType: "image/png" } as const;
const messages: ModelMessage[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is it?" },
      { type: "image", image: "iVBORw0KGgo=" },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Look.", providerOptions: { anthropic: { signature: "s" } } },
      { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: "it" } },
      { type: "tool-call", toolCallId: "c2", toolName: "look", input: {} },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "json", value: { is: "a cat" } } },
      { type: "tool-result", toolCallId: "c2", toolName: "look", output: { type: "content", value: [seen, picture] } },
    ],
  },
  { role: "assistant", content: "A cat." },
  { role: "user", content: "Thank you." },
];
const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } }];
const log: SessionEntry[] = [
  { id: "r", ts: 0, type: "runtime-init", data: { locale: "en" } },
  ...messages.map((message, index): SessionEntry => ({ id: `m${index}`, ts: index, type: "message", message })),
  { id: "i", ts: 7, type: "injection", stepId: "note", beforeEntryId: "m5", message: { role: "system", content: "!" } },
  { id: "x", ts: 8, type: "redact", entryId: "m9" },
  { id: "o", ts: 9, type: "custom", kind: "own" },
];
const pinnedLog: SessionEntry[] = [...log, { id: "p1", ts: 0, type: "pin", text: "Metric units." }];
const compacted: SessionEntry[] = [
  ...log,
  {
    id: "c",
    ts: 10,
    type: "compaction",
    firstKeptEntryId: "m4",
    maskedBefore: "m4",
    droppedSteps: ["note"],
    shrunk: [{ entryId: "m4", part: 0, keep: 10 }],
    summary: "They saw a cat.",
    summarised: { count: 3, tokens: 30 },
    dropped: { count: 0, tokens: 0 },
  },
];
const strategy = { depth: 1, order: 5, mode: "floating" as const, group: "g" };
const simple: Preset = {
  presetMessages: [
    { id: "main", role: "system", content: "You are {{char}}.", enabled: true, priority: 1 },
    { id: "world", role: "system", type: "placeholder" },
    { id: "history", role: "system", type: "chat_history" },
    { id: "note", role: "user", content: "Now.", injectionStrategy: strategy },
    { id: "lore", role: "system", content: "L", injectionStrategy: { anchorTarget: "world", anchorPosition: "after" } },
  ],
  variables: { char: "Mara" },
  postProcessing: { mergeInjected: true, squashSystem: true },
};
const advanced: Preset = {
  version: 1,
  name: "Mara",
  messageTemplates: [
    { id: "main", role: "system", content: "You are {{char}}.", defaultInjectionStrategy: strategy },
    { id: "history", role: "system", type: "chat_history" },
  ],
  contextRecipes: [
    {
      id: "all",
      modelFilter: ["*", "gpt-*"],
      steps: [
        { messageId: "main", enabled: true, overrides: { content: "Hi", role: "user" }, injectionStrategy: strategy },
        { messageId: "history", enabled: true },
      ],
    },
  ],
  macros: "sillytavern",
  metadata: { sillytavern: { preset: {}, books: {}, entries: [] } },
};
const resolved = { model: "gpt-6", userProfile: "Tom", variables: { a: "b" }, now: "2026-01-01T00:00:00Z" };
const call = { ...resolved, preset: simple, systemPrompt: "Be kind." };
const request = { ...call, entries: log, added: [], config, account, tools, runtimeInit: { a: 1 }, hints: { b: 2 } };
const input = { ...call, sessionEntries: log, toolSpecs: tools, runtimeHints: { b: 2 }, overflowHint: false };
const asked: ModelMessage[] = [{ role: "user", content: "And now?" }];
const built = build(request);
const recorded = [...log, recordBuild({ ...request, entries: log }, built)];
const init = { config, tokenizer: letters, compactor: extractiveCompactor(), preset: simple, systemPrompt: "Be kind." };
const toSend = { messages, tools, cacheBreakpoints: [1], model: "gemini-3", behind: "anthropic" as const };
const bytes = new TextEncoder().encode(
  JSON.stringify({
    spec: "chara_card_v2",
    data: {
      name: "Mara",
      description: "Kind.",
      first_mes: "Hello!",
      mes_example: "<START>\n{{user}}: Hi",
      character_book: { entries: [{ keys: ["cat"], content: "A cat.", insertion_order: 1, enabled: true }] },
    },
  }),
);
const card = readTavernFile(bytes, { name: "mara" }, importReport());
const chat = readTavernFile(
  new TextEncoder().encode('{"user_name":"Tom","character_name":"Mara"}\n{"name":"Tom","is_user":true,"mes":"Hi"}\n'),
  { name: "chat" },
  importReport(),
);
const { preset: imported, entries: spoken } = importTavern([card, chat]);
const modelData = { source: "us", date: "2026", models: [["gpt-6", 1000, 100, 1, 2, 0.5, 1]] as const };
const observation = { model: "gpt-6", estimated: 1000, reported: { input_tokens: 900, cache_read_input_tokens: 10 } };
const problem = { severity: "warning", code: "InvalidJson", message: "Odd.", path: "a", hint: "Look." };
const summarised = {
  messages,
  previousSummary: "They met.",
  maxTokens: 100,
  countTokens: (text: string) => text.length,
};
const messageOf = (item: ModelMessage): ModelMessage => item;

/** Valid arguments of each function and class, by name. */
export const publicArguments: Readonly<Record<string, () => readonly unknown[]>> = {
  ContextManager: () => [init],
  GalleyError: () => ["InvalidJson", "Odd.", { path: "a", hint: "b", retryable: true, problems: [problem] }],
  appendEntries: () => [log.slice(0, 3), log, "m1"],
  build: () => [request],
  scanEntries: () => [request],
  calibrate: () => [{ models: { "gpt-6": { ratios: [1, 0.9] } } }, observation],
  canonicalJson: () => [{ b: [1, null], a: new Uint8Array([1]) }, { writeText: (text: string) => text }],
  checkPreset: () => [simple],
  composePreset: () => [{ ...resolved, preset: advanced, history: log.slice(1, 3), account }],
  deriveEntryId: () => ["m1", 0, messages[1]],
  describeLedger: () => [built, "en", { names: new Map([["main", "Main"]]) }],
  describeRow: () => [built.ledger[0], "zh", { recipe: "all" }],
  counted: () => [2, "entries"],
  uncounted: () => ["2 entries"],
  diff: () => [built, { messages }, account],
  digestItem: () => [messages[2], { secrets: { key: "secret" } }],
  digestOf: () => [{ messages, tools }, { secrets: { key: "secret" } }],
  entrySchemaFor: () => [log[0]],
  exportFor: () => ["anthropic", toSend],
  exportTavern: () => [imported, { model: "gpt-6", entries: spoken, cardVersion: "v3" }],
  ...Object.fromEntries(["reviveEntries", "sleepingEntries"].map((name) => [name, () => [imported]])),
  cardPicture: () => [{ name: "Mara", description: "Kind." }],
  extractiveCompactor: () => [],
  formatSession: () => [log],
  getAvailableAnchors: () => [simple.presetMessages],
  groupFinder: () => [messages, messageOf],
  groupStarts: () => [messages, messageOf],
  growList: () => [["a", "b"], ["c"], 1],
  knownPrefix: () => [["a"], ["a", "b"]],
  ...logArguments(log),
  importReport: () => [],
  importTavern: () => [[card, chat], { user: "Tom", activated: [{ world: "w", uid: 0 }], now: "2026-01-01T00:00:00Z" }],
  inheritFields: () => [advanced.contextRecipes?.[0]?.steps[0], advanced.messageTemplates?.[0]],
  inputEntries: () => [log, asked, "2026-01-01T00:00:00Z", "inputMessages", undefined],
  isAdvanced: () => [simple],
  isBuildRecord: () => [recorded.at(-1)],
  isMessageEntry: () => [log[0]],
  kindOf: () => [simple.presetMessages?.[0]],
  loadModels: () => [{ mine: { window: 1000, price: { input: 1, output: 2 } } }],
  loadTokenizer: () => ["o200k_base"],
  modelCatalogue: () => [modelData, { mine: { window: 1000 } }],
  newEntries: () => [log, new Map(), (index: number) => `entries[${index}]`],
  loggedBuild: () => [log, 1, account],
  loggedCalls: () => [log, account],
  loggedInputs: () => [log],
  logRetention: () => [log, { account, budgets: [8000] }],
  fittedInputs: () => [[{ role: "user", content: "Hello" }], new ContextManager(init)],
  measureRetention: () => [[{ role: "user", content: "Hello" }], { account, budget: 8000, inputOf: () => [] }],
  namesIn: () => ["src/hull.ts"],
  parseJson: () => ['{"a": [1]}', { what: "file", path: "a", levels: 5 }],
  parseModelOverrides: () => [{ mine: { window: 1000, tokenizer: "qwen" } }],
  parsePreset: () => [advanced],
  parseSession: () => [log.map((entry) => JSON.stringify(entry)).join("\n")],
  parseTools: () => [tools],
  plan: () => [{ ...request, entries: compacted }],
  problemsOf: () => [[{ code: "custom", path: ["a", 0], message: "Odd" }], "InvalidJson", "here"],
  provenance: () => [built.ledger],
  readTavernFile: () => [bytes, { name: "mara", as: "card" }, importReport()],
  recordBuild: () => [request, built, { secrets: { key: "secret" } }],
  redactMessage: () => [messages[3]],
  redactSecrets: () => [{ a: ["my secret"] }, { key: "secret" }],
  redactText: () => ["my secret", { key: "secret" }],
  recallFitted: () => [{ version: 1 }, { handle: "§1", query: "sail", maxTokens: 200 }],
  pinEntry: () => [log, { text: "Metric units." }, { by: "person", now: 0 }],
  pinnedItems: () => [pinnedLog],
  recallSteps: () => [log, { handle: "§1", query: "hello", maxTokens: 500 }, { account, termsOf: () => ["hello"] }],
  recall: () => [log, { handle: "§1", query: "hello", maxTokens: 500 }, { account, termsOf: () => ["hello"] }],
  replayedMessages: () => [log, account, 8000],
  replay: () => [recorded, account, { secrets: {} }],
  reportedInputTokens: () => [observation.reported],
  rowSource: () => [built.ledger[0]],
  selectRecipe: () => [advanced.contextRecipes, "gpt-6"],
  textLanguage: () => [["Hello", "你好"]],
  throwOnErrors: () => [[problem]],
  toAdvanced: () => [simple],
  toAiSdk: () => [toSend],
  toAnthropic: () => [toSend],
  toGemini: () => [toSend],
  fitStep: () => [{ budget: 100 }],
  fitMiddleware: () => [{ budget: 100, onBuild: () => undefined }],
  fitMessages: () => [[{ content: "Hello", getType: () => "human" }], { budget: 100 }],
  fitProcessor: () => [{ budget: 100 }],
  fitInput: () => [{ budget: 100 }],
  fitProvider: () => [{ getModel: () => ({}) }, { budget: 100 }],
  fitSession: () => [{ getItems: async () => [], addItems: async () => undefined }, { budget: 8000 }],
  fit: () => [[{ role: "user", content: "Hello" }], { budget: 100 }],
  importFrom: () => ["openai-chat", toOpenAiChat(toSend).request],
  toOpenAiChat: () => [toSend],
  toOpenAiResponses: () => [toSend],
  toSimple: () => [advanced, "gpt-6"],
  tokenAccount: () => [letters],
  tokenizerForModel: () => ["gpt-6", { family: "o200k_base", calibration: { models: {} } }],
  tokensBySource: () => [built, account],
  unpinEntry: () => [pinnedLog, "p1", { now: 0 }],
  standingCompactions: () => [compacted],
  undoCompaction: () => [compacted, "2026-01-01T00:00:00Z"],
  usualLimit: () => [{ window: 1000, output: 100 }],
  validateAiSdk: () => [toAiSdk(toSend).request],
  validateAnthropic: () => [toAnthropic(toSend).request],
  validateGemini: () => [toGemini(toSend).request],
  validateOpenAiChat: () => [toOpenAiChat(toSend).request],
  validateOpenAiResponses: () => [toOpenAiResponses(toSend).request],
  view: () => [compacted, { leafId: "c", added: [] }],

  "ContextManager.buildContext": () => [init, { ...input, inputMessages: asked, runtimeInitData: { locale: "en" } }],
  "ContextManager.computeContextUpdates": () => [init, { ...input, newMessages: asked }],
  "ContextManager.estimateTokens": () => [messages],
  "TokenAccount.countInput": () => [letters, messages, tools],
  "TokenAccount.countMessage": () => [letters, messages[3]],
  "TokenAccount.countTool": () => [letters, tools[0]],
  "TokenAccount.countPlain": () => [letters, "Hello the world", { tokens: 4, rest: "Hello world" }],
  "TokenAccount.countOverhead": () => [letters, tools],
  "TokenAccount.isAbove": () => [letters, messages[3], 5],
  "TokenAccount.remember": () => [letters, messages[3], 5],
  "TokenAccount.isEstimated": () => [letters, messages[1]],
  "ModelCatalogue.find": () => ["gpt-6"],
  "ModelCatalogue.nearest": () => ["gpt-7"],
  "Compactor.compact": () => [summarised],
};

type Call = (...values: readonly unknown[]) => unknown;
const method = (call: unknown): Call => call as Call;
const catalogue = modelCatalogue(modelData, {});

/** The methods of what the functions give. */
export const publicMethods: Readonly<Record<string, Call>> = {
  "ContextManager.buildContext": method((own: typeof init, given: never) =>
    new ContextManager(own).buildContext(given),
  ),
  "ContextManager.computeContextUpdates": method((own: typeof init, given: never) =>
    new ContextManager(own).computeContextUpdates(given),
  ),
  "ContextManager.estimateTokens": method((given: never) => new ContextManager(init).estimateTokens(given)),
  "TokenAccount.countInput": method((own: Tokenizer, all: never, more: never) =>
    tokenAccount(own).countInput(all, more),
  ),
  "TokenAccount.countMessage": method((own: Tokenizer, given: never) => tokenAccount(own).countMessage(given)),
  "TokenAccount.countTool": method((own: Tokenizer, given: never) => tokenAccount(own).countTool(given)),
  "TokenAccount.countPlain": method((own: Tokenizer, given: never) => tokenAccount(own).countPlain(given)),
  "TokenAccount.countOverhead": method((own: Tokenizer, given: never) => tokenAccount(own).countOverhead(given)),
  "TokenAccount.isAbove": method((own: Tokenizer, given: never, most: never) => tokenAccount(own).isAbove(given, most)),
  "TokenAccount.remember": method((own: Tokenizer, given: never, size: never) =>
    tokenAccount(own).remember(given, size),
  ),
  "TokenAccount.isEstimated": method((own: Tokenizer, given: never) => tokenAccount(own).isEstimated(given)),
  "ModelCatalogue.find": method((name: string) => catalogue.find(name)),
  "ModelCatalogue.nearest": method((name: string) => catalogue.nearest(name)),
  "Compactor.compact": method((given: never) => extractiveCompactor().compact(given)),
};

const circle: unknown[] = [];
circle.push(circle);
export const publicValues = { account, circle, letters, messages, row: built.ledger[0] as LedgerRow, simple };
