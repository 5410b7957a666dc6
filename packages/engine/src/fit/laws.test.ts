import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../model/canonical-json.ts";
import type { MessageEntry } from "../model/entries.ts";
import { groupStarts } from "../model/groups.ts";
import { entriesOf, runs, textOf } from "../model/testing/history.ts";
import type { ModelMessage } from "../model/messages.ts";
import { tokenAccount } from "../tokens/account.ts";
import { build } from "./build.ts";
import type { BuildRequest } from "./window/build-request.ts";
import { bytes, countOf, tryBuild } from "./testing/built.ts";
import {
  anyRequest,
  append,
  firstEntries,
  quarter,
  quarterAccount,
  somePins,
  someRepeats,
  wildHistory,
  withPins,
  withRepeats,
} from "./testing/sessions.ts";
import type { Build } from "./types.ts";
import { pinnedItems } from "./log/pin-entries.ts";
import { view } from "./log/view.ts";

type Holds = (built: Build, request: BuildRequest, groups: ModelMessage[][]) => boolean;

const laws = new Map<string, Holds>();

const property = (holds: Holds): fc.IProperty<[{ request: BuildRequest; groups: ModelMessage[][] }]> =>
  fc.property(anyRequest, ({ request, groups }) => {
    const built = tryBuild(request);
    return built === undefined || holds(built, request, groups);
  });

// Each case is made and built once for all laws. A law that is broken is then tried by itself, with the same cases, so that
// the smallest case that breaks it is found.
let tried: { readonly seed: number; readonly isSound: boolean; readonly broken: ReadonlySet<string> } | undefined;

function tryAll(): NonNullable<typeof tried> {
  const broken = new Set<string>();
  const { seed, failed } = fc.check(
    property((built, request, groups) => {
      for (const [name, holds] of laws) if (!isKept(() => holds(built, request, groups))) broken.add(name);
      return true;
    }),
    runs,
  );
  return { seed, isSound: !failed, broken };
}

function isKept(holds: () => boolean): boolean {
  try {
    return holds();
  } catch {
    return false;
  }
}

function law(name: string, holds: Holds): void {
  laws.set(name, holds);
  test(name, () => {
    const { seed, isSound, broken } = (tried ??= tryAll());
    if (!isSound || broken.has(name)) fc.assert(property(holds), { ...runs, seed });
    expect(broken).not.toContain(name);
  });
}

const positionsOf = ({ ledger }: Build): Map<string, number | undefined> =>
  new Map(
    ledger.filter((row) => row.kind === "message" && row.rule !== "duplicate").map((row) => [row.id, row.position]),
  );

/** The rows of all that is not a repeat. */
const rowsOf = ({ ledger }: Build): string => JSON.stringify(ledger.filter((row) => row.rule !== "duplicate"));
law("[F5] the budget is never exceeded, and the figure is what the account says", (built, { config, tools }) => {
  const { tokens } = quarterAccount.countInput(built.messages, tools);
  return built.stats.inputTokens === tokens && tokens <= config.maxInputTokens;
});

/** How many messages the groups of these ids have. */
function groupsWith(messages: readonly MessageEntry[], ids: ReadonlySet<string>): number {
  const starts = groupStarts(messages, (entry) => entry.message);
  return starts.reduce((sum, start, index) => {
    const group = messages.slice(start, starts[index + 1] ?? messages.length);
    return group.some(({ id }) => ids.has(id)) ? sum + group.length : sum;
  }, 0);
}

law("[F5] no more history messages are sent than allowed, but for what is pinned", (built, { config, entries }) => {
  const unsound = new Set(
    built.ledger.filter((row) => row.rule === "empty" || row.rule === "orphan").map((row) => row.id),
  );
  const sound = view(entries).messages.filter((entry) => !unsound.has(entry.id));
  const newest = groupStarts(sound, (entry) => entry.message).at(-1) ?? 0;
  const open = sound.filter((entry) => JSON.stringify(entry.message).includes('"lost"')).length;
  const pinned = sound.length - newest + 1 + open + groupsWith(sound, view(entries).pins.ids);
  const sent = built.ledger.filter(
    (row) => row.kind === "message" && row.role !== "system" && row.position !== undefined,
  ).length;
  return sent <= Math.max(config.maxHistoryMessages ?? Infinity, pinned);
});

law("[F6] what is pinned is sent", (built, { preset, entries, systemPrompt, hints }) => {
  const texts = new Set(built.messages.map((message) => message.content));
  const always = (preset?.presetMessages ?? []).filter(
    (node) =>
      node.enabled !== false &&
      node.priority === undefined &&
      !node.activation &&
      !node.injectionStrategy &&
      !node.type &&
      node.content?.trim(),
  );
  const lastUser = firstEntries(entries).findLast(
    (entry) => entry.type === "message" && entry.message.role === "user" && textOf(entry.message).trim() !== "",
  );
  const positions = positionsOf(built);
  return (
    always.every((node) => texts.has(node.content ?? "")) &&
    (systemPrompt === undefined || built.messages[0]?.content === systemPrompt) &&
    (!hints || built.ledger.some((row) => row.kind === "hint" && row.position !== undefined)) &&
    (!lastUser || positions.get(lastUser.id) !== undefined)
  );
});

law("[R6] what is pinned is sent whole, and its row says so", sendsPins);

function sendsPins(built: Build, { entries }: BuildRequest): boolean {
  const rows = new Map(built.ledger.filter((row) => row.rule !== "duplicate").map((row) => [row.id, row]));
  const isUnsound = (id: string): boolean => ["empty", "orphan"].includes(rows.get(id)?.rule ?? "");
  return pinnedItems(entries).every(({ id, text, entry }) => {
    const row = rows.get(id);
    if (isUnsound(id) || entry?.message.role === "system") return true;
    const message = built.messages[row?.position ?? -1];
    if (row?.isPinned !== true || !message) return false;
    return row.fate === "kept" && (text === undefined || textOf(message).includes(text));
  });
}

law("[F6] a group is sent whole or not at all", (built, { entries }) => {
  const { messages } = view(entries);
  const positions = positionsOf(built);
  const starts = groupStarts(messages, (entry) => entry.message);
  const unsound = new Set(
    built.ledger.filter((row) => row.rule === "empty" || row.rule === "orphan").map((row) => row.id),
  );
  return starts.every((start, index) => {
    const group = messages.slice(start, starts[index + 1] ?? messages.length).filter((entry) => !unsound.has(entry.id));
    const sent = group.filter((entry) => positions.get(entry.id) !== undefined);
    return sent.length === 0 || sent.length === group.length;
  });
});

law("[F10] the order of history is kept", (built, { entries }) => {
  const positions = positionsOf(built);
  const sent = firstEntries(entries).flatMap((entry) => positions.get(entry.id) ?? []);
  return sent.every((position, index) => index === 0 || position > (sent[index - 1] ?? 0));
});

law(
  "[P1] every input has exactly one fate, and they add up",
  (built, { preset, entries, systemPrompt, hints, runtimeInit }) => {
    const inputs =
      (preset?.presetMessages?.length ?? 0) +
      entries.filter(({ type }) => type !== "pin").length +
      view(entries).pins.texts.length +
      1 +
      [systemPrompt, hints, runtimeInit].filter(Boolean).length;
    const own = built.ledger.filter((row) => row.kind !== "generated");
    const sum = own.reduce((total, row) => total + (row.count ?? 1), 0);
    const positions = new Set(built.ledger.flatMap((row) => row.position ?? []));
    const first = own.filter((row) => row.rule !== "duplicate");
    return (
      sum === inputs &&
      positions.size === built.messages.length &&
      new Set(first.map((row) => row.id)).size === first.length
    );
  },
);

law("[F8] building from what was persisted gives the same bytes, and makes no new decision", (built, request) => {
  const again = build(append(request, built.entriesToAppend));
  return bytes(again) === bytes(built) && again.entriesToAppend.length === 0;
});

law("[F3] a log with repeated ids is built as the log of the first entries is", (built, request) => {
  const entries = firstEntries(request.entries);
  const once = build({ ...request, entries });
  const repeats = built.ledger.filter((row) => row.rule === "duplicate").length;
  const isCounted = repeats === request.entries.length - entries.length;
  return bytes(once) === bytes(built) && isCounted && rowsOf(once) === rowsOf(built);
});

law(
  "[P1] after what was decided is persisted, every message of the log still has exactly one fate",
  (built, request) => {
    const next = append(request, built.entriesToAppend);
    const messages = next.entries.filter((entry) => entry.type === "message").length;
    return countOf(build(next)) === messages;
  },
);

law("[F2] the same input gives the same bytes, whatever the order of its keys", (built, request) => {
  const reversed = JSON.parse(JSON.stringify({ ...request, account: undefined }), (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : value,
  ) as BuildRequest;
  const other = build({ ...reversed, account: quarterAccount });
  const sameBytes = other.messages.every(
    (message, index) => canonicalJson(message) === canonicalJson(built.messages[index]),
  );
  return sameBytes && JSON.stringify(other.ledger) === JSON.stringify(built.ledger);
});

law("[F14] a longer log behind a compaction never changes the build", (built, request) => {
  const persisted = append(request, built.entriesToAppend);
  const older = entriesOf(Array.from({ length: 30 }, () => ({ role: "user" as const, content: "older" }))).map(
    (entry) => ({
      ...entry,
      id: `older-${entry.id}`,
    }),
  );
  const hasCompaction = built.entriesToAppend.some((entry) => entry.type === "compaction");
  return !hasCompaction || bytes(build({ ...persisted, entries: [...older, ...persisted.entries] })) === bytes(built);
});

law("[C14] a frozen injection stays where it was when messages are appended", (built, request) => {
  const injections = built.entriesToAppend.filter((entry) => entry.type === "injection");
  const more = entriesOf([{ role: "assistant", content: "a" }]).map((entry) => ({ ...entry, id: "later" }));
  const next = tryBuild({
    ...append(request, [...built.entriesToAppend, ...more]),
    hints: {},
    config: { maxInputTokens: 100_000 },
  });
  if (injections.length === 0 || !next) return true;
  return injections.every((entry) => {
    const before = built.ledger.find((row) => row.id === entry.stepId)?.position ?? 0;
    const neighbour = entry.beforeEntryId ?? "later";
    const rows = next.ledger
      .filter((row) => row.position !== undefined)
      .toSorted((a, b) => Number(a.position) - Number(b.position));
    const at = rows.findIndex((row) => row.id === entry.stepId);
    const following = rows.slice(at + 1).find((row) => row.kind === "message");
    return at >= 0 && before >= 0 && following?.id === neighbour;
  });
});

test("[F2] a build that builds on the one before is, to the last row, the build that starts from nothing", () => {
  fc.assert(
    fc.property(
      anyRequest,
      fc.array(fc.tuple(wildHistory, someRepeats, somePins), { maxLength: 4 }),
      ({ request }, turns) => {
        const account = tokenAccount(quarter);
        let current: BuildRequest = { ...request, account };
        for (const [turn, [groups, repeats, pins]] of [[[], [], []] as const, ...turns].entries()) {
          const own = entriesOf(groups.flat()).map((entry) => ({ ...entry, id: `${turn}-${entry.id}` }));
          // Of what is new and of what came long before, decisions too.
          const more = withPins(withRepeats([...current.entries, ...own], repeats), pins).slice(current.entries.length);
          // Now and then the window is a small one: what was known must not show in what is decided then.
          const maxInputTokens = turn % 2 === 0 ? 3000 : 200;
          current = { ...append(current, more), config: { ...request.config, maxInputTokens } };
          const built = tryBuild(current);
          const fresh = tryBuild({ ...current, account: tokenAccount(quarter) });
          if (JSON.stringify(built) !== JSON.stringify(fresh) || (built && !sendsPins(built, current))) return false;
          current = append(current, built?.entriesToAppend ?? []);
        }
        return true;
      },
    ),
    runs,
  );
});
