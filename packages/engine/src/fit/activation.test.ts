import { expect, test } from "vitest";
import type { Preset } from "../compose/preset/preset.ts";
import type { SessionEntry } from "../model/entries.ts";
import { entriesOf } from "../model/testing/history.ts";
import type { ModelMessage } from "../model/messages.ts";
import { build } from "./build.ts";
import { append, quarterAccount } from "./testing/sessions.ts";

const preset: Preset = {
  presetMessages: [
    { id: "sticky", role: "system", content: "S", activation: { keys: ["fox"], scanDepth: 1, sticky: 3 } },
    { id: "cool", role: "system", content: "C", activation: { constant: true, cooldown: 3 } },
    { id: "chat", role: "user", type: "chat_history" },
  ],
};

const user = (content: string): ModelMessage => ({ role: "user", content });
const reply: ModelMessage = { role: "assistant", content: "I see." };

/** Which entries come turn by turn, each build in the session that the one before left. */
function play(questions: readonly string[], config = { maxInputTokens: 1000 }): string[] {
  let entries: readonly SessionEntry[] = [];
  let count = 0;
  return questions.map((question) => {
    const [asked, answered] = entriesOf([user(question), reply]).map((entry) => ({ ...entry, id: `t${(count += 1)}` }));
    const request = { preset, entries, added: [asked as SessionEntry], account: quarterAccount, config };
    const built = build(request);
    const again = build(append(request, built.entriesToAppend));
    expect(again.messages).toEqual(built.messages);
    entries = [...entries, ...built.entriesToAppend, answered as SessionEntry];
    return built.ledger.flatMap((row) => (row.why ? [row.id] : [])).join();
  });
}

test("[K2] what stays and what stays away is recorded, and counts messages", () => {
  expect(play(["a fox", "tea", "cake", "tea"])).toEqual(["sticky,cool", "sticky", "cool", ""]);
});

test("[K2] a compaction carries it, and the entries that were there are there again", () => {
  const long = "word ".repeat(40);
  const turns = play([`a fox ${long}`, long, long, `a fox ${long}`, long], { maxInputTokens: 150 });
  expect(turns).toEqual(["sticky,cool", "sticky", "cool", "sticky", "sticky,cool"]);
});

test("[K1] what entries cost together has a limit, in the order in which they are looked at", () => {
  const lore = (id: string, order: number): NonNullable<Preset["presetMessages"]>[number] => {
    return { id, role: "system", content: `${id} `.repeat(20), activation: { constant: true, order } };
  };
  const limited: Preset = { activation: { budgetPercent: 10 }, presetMessages: [lore("low", 1), lore("high", 2)] };
  const { ledger } = build({ preset: limited, entries: [], account: quarterAccount, config: { maxInputTokens: 400 } });
  expect(ledger).toMatchObject([
    { id: "high", why: { by: "constant" } },
    { id: "low", fate: "inactive", rule: "budget" },
  ]);
});
