import fc from "fast-check";
import type { Activation } from "../../compose/activation/activation.ts";
import { simplePreset } from "../../compose/testing/preset.ts";
import type { SessionEntry } from "../../model/entries.ts";
import { entriesOf, groupedHistory } from "../../model/testing/history.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { tokenAccount } from "../../tokens/account.ts";
import type { Tokenizer } from "../../tokens/counters/tokenizer.ts";
import { pathMessages } from "../log/path-messages.ts";
import { pinEntry, pinnedItems, unpinEntry } from "../log/pin-entries.ts";
import type { BuildRequest } from "../window/build-request.ts";

/** Exact, fast, and easy to reckon with: one token for every four characters begun. */
export const quarter: Tokenizer = { id: "quarter", exactness: "exact", count: (text) => Math.ceil(text.length / 4) };

export const quarterAccount = tokenAccount(quarter);

/** A part of a history that needs repair: an empty message, a call without a result, a result without a call. */
const broken: fc.Arbitrary<ModelMessage[]> = fc.constantFrom<ModelMessage[]>(
  [{ role: "user", content: " " }],
  [{ role: "assistant", content: [{ type: "tool-call", toolCallId: "lost", toolName: "look", input: {} }] }],
  [
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "never", toolName: "look", output: { type: "text", value: "x" } }],
    },
  ],
);

const long: fc.Arbitrary<ModelMessage[]> = fc
  .record({ size: fc.nat(600), role: fc.constantFrom("user" as const, "assistant" as const) })
  .map(({ size, role }) => [{ role, content: "long ".repeat(size) + "." }]);

const bigResult: fc.Arbitrary<ModelMessage[]> = fc.nat(900).map((size) => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "big", toolName: "read", input: { size } }] },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "big",
        toolName: "read",
        output: { type: "text", value: "data ".repeat(size) },
      },
    ],
  },
]);

/** Histories as they are found in the wild: whole groups, large ones, and some that need repair. */
export const wildHistory: fc.Arbitrary<ModelMessage[][]> = fc
  .tuple(
    groupedHistory,
    fc.array(fc.oneof(long, bigResult, broken), { maxLength: 10 }),
    fc.array(fc.nat(), { minLength: 22, maxLength: 22 }),
  )
  .map(([groups, more, ranks]) => {
    const ranked = [...groups, ...more].map((group, index) => ({ group, rank: ranks[index] ?? 0 }));
    return ranked.sort((a, b) => a.rank - b.rank).map(({ group }) => group);
  });

/** What a plain list begins with: system messages, one of them blank now and then. */
const head: fc.Arbitrary<ModelMessage[]> = fc.array(
  fc.nat(40).map((size): ModelMessage => ({ role: "system", content: "rule ".repeat(size) })),
  { maxLength: 2 },
);

/** Histories in the wild, with and without system messages in front. */
export const headedHistory: fc.Arbitrary<ModelMessage[][]> = fc
  .tuple(head, wildHistory)
  .map(([messages, groups]) => [...messages.map((message) => [message]), ...groups]);

/** An entry that stands in a log once more. */
interface Repeat {
  readonly of: number;
  readonly at: number;
  readonly isOther: boolean;
}

/** Logs with repeated ids: none in half of them. */
export const someRepeats: fc.Arbitrary<readonly Repeat[]> = fc.oneof(
  fc.constant([]),
  fc.array(fc.record({ of: fc.nat(), at: fc.nat(), isOther: fc.boolean() }), { minLength: 1, maxLength: 5 }),
);

/** Puts entries into a log once more, behind the first: as they are, or with another text under the same id. */
export function withRepeats(entries: readonly SessionEntry[], repeats: readonly Repeat[]): SessionEntry[] {
  const log = [...entries];
  for (const { of, at, isOther } of repeats) {
    const from = of % log.length;
    const entry = log[from];
    if (!entry) continue;
    const message: ModelMessage = { role: "user", content: "said once more, in other words" };
    const isChanged = isOther && entry.type === "message";
    log.splice(from + 1 + (at % (log.length - from)), 0, isChanged ? { ...entry, message } : entry);
  }
  return log;
}

/** Something that is pinned or unpinned: a message by its place in the log, a sentence, or one of the pins. */
interface PinChange {
  readonly of: number;
  readonly kind: "message" | "text" | "unpin";
}

/** Pins and unpins: none in half of the logs. */
export const somePins: fc.Arbitrary<readonly PinChange[]> = fc.oneof(
  fc.constant([]),
  fc.array(fc.record({ of: fc.nat(), kind: fc.constantFrom("message", "message", "text", "unpin") }), {
    minLength: 1,
    maxLength: 4,
  }),
);

/** The log with the entries of these changes behind it; what cannot be pinned is left as it is. */
export function withPins(entries: readonly SessionEntry[], changes: readonly PinChange[]): SessionEntry[] {
  const log = [...entries];
  for (const { of, kind } of changes) {
    const messages = pathMessages(log);
    const pinned = pinnedItems(log);
    const entry = messages[of % messages.length]?.entry;
    const item = pinned[of % pinned.length];
    const change =
      kind === "text"
        ? pinEntry(log, { text: `keep ${of % 9} in mind` })
        : kind === "unpin"
          ? item && unpinEntry(log, item.id)
          : entry && pinEntry(log, { entryId: entry.id });
    if (change) log.push(change);
  }
  return log;
}

/** The first entry with each id. */
export function firstEntries(entries: readonly SessionEntry[]): SessionEntry[] {
  const ids = new Set<string>();
  return entries.filter(({ id }) => !ids.has(id) && ids.add(id));
}

const config = fc.record(
  {
    maxInputTokens: fc.integer({ min: 60, max: 1500 }),
    maxHistoryMessages: fc.integer({ min: 1, max: 20 }),
    targetRatio: fc.constantFrom(0.3, 0.5, 0.8, 1),
    recall: fc.boolean(),
  },
  { requiredKeys: ["maxInputTokens"] },
);

/** Messages that come and go with the chat: by words that the histories hold, for some messages, or by each other's texts. */
const someActivation: fc.Arbitrary<Activation> = fc.record(
  {
    keys: fc.subarray(["long", "data", "once more", "/o(n|m)+e?/", "e", "never said"], { minLength: 1 }),
    secondaryKeys: fc.subarray(["long", "words"], { minLength: 1 }),
    logic: fc.constantFrom("and-any", "not-all", "not-any", "and-all"),
    scanDepth: fc.integer({ min: 0, max: 6 }),
    probability: fc.constantFrom(20, 50, 100),
    group: fc.constantFrom("a", "b", "a,b"),
    sticky: fc.nat(4),
    cooldown: fc.nat(4),
    delay: fc.nat(6),
    preventRecursion: fc.boolean(),
    delayUntilRecursion: fc.nat(2),
    constant: fc.boolean(),
  },
  { requiredKeys: ["keys"] },
);

const preset = fc
  .tuple(
    simplePreset,
    fc.array(fc.option(fc.nat(5), { nil: undefined }), { minLength: 16, maxLength: 16 }),
    fc.boolean(),
    fc.oneof(
      fc.constant([]),
      fc.array(fc.option(someActivation, { nil: undefined, freq: 2 }), { minLength: 16, maxLength: 16 }),
    ),
  )
  .map(([{ presetMessages }, priorities, isFrozen, activations]) => ({
    presetMessages: presetMessages.map((node, index) => {
      const priority = priorities[index];
      const activation = activations[index];
      const mode = isFrozen && index % 2 === 0 ? ("frozen" as const) : undefined;
      const strategy = node.injectionStrategy;
      return {
        ...node,
        ...(activation && node.type !== "chat_history" ? { activation } : {}),
        ...(priority === undefined || node.type ? {} : { priority }),
        ...(strategy && mode ? { injectionStrategy: { ...strategy, mode } } : {}),
      };
    }),
  }));

const tools = fc.constantFrom(undefined, [{ name: "look", description: "looks", inputSchema: { type: "object" } }]);

/** Requests of every kind, with the groups that their history was made of. */
export const anyRequest: fc.Arbitrary<{ request: BuildRequest; groups: ModelMessage[][] }> = fc
  .record({
    groups: headedHistory,
    repeats: someRepeats,
    pins: somePins,
    config,
    preset,
    tools,
    hasPrompt: fc.boolean(),
    hasHints: fc.boolean(),
  })
  .map(({ groups, repeats, pins, tools: specs, hasPrompt, hasHints, ...rest }) => ({
    groups,
    request: {
      ...rest,
      entries: withPins(withRepeats(entriesOf(groups.flat()), repeats), pins),
      account: quarterAccount,
      userProfile: "profile",
      ...(specs ? { tools: specs } : {}),
      ...(hasPrompt ? { systemPrompt: "You help." } : {}),
      ...(hasHints ? { hints: { time: "10:00" }, runtimeInit: { os: "linux", cwd: "/" } } : {}),
    },
  }));

export function append(request: BuildRequest, more: readonly SessionEntry[]): BuildRequest {
  const { added: _, ...rest } = request;
  return { ...rest, entries: [...request.entries, ...more] };
}
