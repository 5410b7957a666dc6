import { expect, test } from "vitest";
import { composePreset } from "../../compose/compose-preset.ts";
import { parsePreset } from "../../compose/preset/parse-preset.ts";
import type { MessageEntry, SessionEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { exportTavern } from "./export/export-tavern.ts";
import { reviveEntries, sleepingEntries } from "./revive-entries.ts";
import fixtures from "../fixtures/first-imports.json" with { type: "json" };

interface Frozen {
  readonly options: object;
  readonly preset: unknown;
  readonly entries: readonly SessionEntry[];
  readonly messages: readonly ModelMessage[];
}

// What the first version of the import made, and what it built then. These files never change.
const frozen = fixtures as unknown as readonly Frozen[];

test.each(frozen.map(({ options, ...one }) => ({ name: JSON.stringify(options), ...one })))(
  "[X1] a preset that the first version of the import made with $name builds the bytes that it built then",
  ({ preset, entries, messages }) => {
    const history = entries.filter((entry): entry is MessageEntry => entry.type === "message");
    const built = composePreset({
      preset: parsePreset(JSON.stringify(preset)).preset,
      history,
      now: "2026-01-02T03:04:00Z",
    });
    expect(built.messages).toEqual(messages);
  },
);

test("[X1][K2a] the entries of the first version of the import are brought alive from what was kept of them", () => {
  const [first] = frozen;
  const { preset } = parsePreset(JSON.stringify(first?.preset));
  expect(sleepingEntries(preset)).toBe(13);
  const alive = parsePreset(JSON.stringify(reviveEntries(preset))).preset;
  expect([sleepingEntries(alive), reviveEntries(alive)]).toEqual([0, alive]);
  const said = (text: string): string[] => {
    const history: MessageEntry[] = [{ id: "m", ts: 0, type: "message", message: { role: "user", content: text } }];
    const { messages } = composePreset({ preset: alive, history, now: "2026-01-02T03:04:00Z" });
    return messages.flatMap(({ content }) => (typeof content === "string" ? content.split(/[\n[\]]/) : []));
  };
  // The one with a key waits for it, the one that its book has switched off stays off, the others are always there.
  expect(said("A lamp.").filter((line) => /^e(?:0|1|10|12)$/.test(line))).toEqual(["e1", "e10", "e0"]);
  expect(said("Nothing.").filter((line) => /^e(?:0|1|10|12)$/.test(line))).toEqual(["e1", "e0"]);
  expect(said("Nothing.")).toEqual(expect.arrayContaining(["e2", "e3", "Keep it dim", "e4", "low", "under"]));
  const { books } = exportTavern(alive);
  expect(Object.keys((books[0]?.book["entries"] ?? {}) as object)).toHaveLength(13);
});
