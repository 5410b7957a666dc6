import fc from "fast-check";
import type { ChatMessageNode, InjectionStrategy } from "../preset/preset.ts";

const anchors = ["world", "lore"] as const;

export const strategy: fc.Arbitrary<InjectionStrategy | undefined> = fc.option(
  fc.oneof(
    fc.record({ depth: fc.nat(15), order: fc.nat(3) }),
    fc.record({
      anchorTarget: fc.constantFrom("chat_history", "user_profile", ...anchors),
      anchorPosition: fc.constantFrom("before" as const, "after" as const),
      order: fc.nat(3),
    }),
    fc.record({ order: fc.nat(3) }),
  ),
  { nil: undefined },
);

const node = fc.record(
  {
    role: fc.constantFrom("system" as const, "user" as const, "assistant" as const),
    content: fc.oneof({ weight: 5, arbitrary: fc.string({ minLength: 1, maxLength: 8 }) }, fc.constant("")),
    enabled: fc.boolean(),
    injectionStrategy: strategy,
  },
  { requiredKeys: ["role", "content"] },
);

/** Valid simple presets: the anchors that strategies name are all defined, some of them disabled. */
export const simplePreset: fc.Arbitrary<{ presetMessages: ChatMessageNode[] }> = fc
  .record({
    nodes: fc.array(node, { maxLength: 12 }),
    hasHistory: fc.boolean(),
    hasProfile: fc.boolean(),
    worldIsOn: fc.boolean(),
    ranks: fc.array(fc.nat(), { minLength: 16, maxLength: 16 }),
  })
  .map(({ nodes, hasHistory, hasProfile, worldIsOn, ranks }) => {
    const all: ChatMessageNode[] = [
      ...nodes,
      { id: "world", type: "placeholder", role: "system", enabled: worldIsOn },
      { id: "lore", type: "placeholder", role: "system", content: "lore" },
    ];
    if (hasHistory) all.push({ type: "chat_history", role: "user" });
    if (hasProfile) all.push({ type: "user_profile", role: "system" });
    const ranked = all.map((message, index) => ({ message, rank: ranks[index] ?? 0 }));
    return { presetMessages: ranked.sort((a, b) => a.rank - b.rank).map(({ message }) => message) };
  });
