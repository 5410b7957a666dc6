import { expect, test } from "vitest";
import type { Preset } from "../compose/preset/preset.ts";
import { build } from "../fit/build.ts";
import { tokenAccount } from "../tokens/account.ts";
import { loadTokenizer } from "../tokens/counters/load-tokenizer.ts";
import { tokenSources, tokensBySource } from "./token-sources.ts";

const preset: Preset = {
  presetMessages: [
    { id: "core", role: "system", content: "You are a guide." },
    { id: "profile", role: "system", type: "user_profile" },
    { id: "world", role: "system", type: "placeholder" },
    { id: "lore", role: "system", content: "The lamp is dark.", injectionStrategy: { anchorTarget: "world" } },
    { id: "history", role: "user", type: "chat_history" },
    { id: "note", role: "system", content: "Be brief.", injectionStrategy: { depth: 0 } },
  ],
};

test("[P1] every token of a build has one source, and together they are the whole", async () => {
  const account = tokenAccount(await loadTokenizer("o200k_base"));
  const built = build({
    entries: [{ id: "m1", ts: 1, type: "message", message: { role: "user", content: "Where is the lamp?" } }],
    config: { maxInputTokens: 10_000 },
    account,
    preset,
    userProfile: "A captain.",
    tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }],
  });
  const sums = tokensBySource(built, account);
  expect(tokenSources.filter((source) => sums[source] > 0)).toEqual(
    expect.arrayContaining(["template", "anchor", "depth", "profile", "history", "tools"]),
  );
  expect(Object.values(sums).reduce((sum, tokens) => sum + tokens, 0)).toBe(built.stats.inputTokens);
});
