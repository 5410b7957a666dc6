import fc from "fast-check";
import { expect, test } from "vitest";
import { entriesOf, groupedHistory, runs } from "../../model/testing/history.ts";
import { checkPreset } from "./check-preset.ts";
import { composePreset } from "../compose-preset.ts";
import type { ChatMessageNode, Preset } from "./preset.ts";
import { simplePreset, strategy } from "../testing/preset.ts";
import { applySimpleEdit, toAdvanced, toSimple } from "./simple-mode.ts";

const bytes = (preset: Preset, history: ReturnType<typeof entriesOf>): string =>
  JSON.stringify(composePreset({ preset, history, model: "any", userProfile: "profile" }).messages);

test("[C11] simple → advanced builds the same bytes, and back gives the same list", () => {
  fc.assert(
    fc.property(simplePreset, groupedHistory, (preset, groups) => {
      const history = entriesOf(groups.flat());
      const advanced = toAdvanced(preset);
      expect(checkPreset(advanced)).toEqual([]);
      expect(bytes(advanced, history)).toBe(bytes(preset, history));
      expect(toSimple(advanced, "any")).toEqual(
        preset.presetMessages.map(({ enabled, injectionStrategy, ...node }, index) => ({
          id: `message-${index + 1}`,
          ...node,
          ...(enabled === false ? { enabled } : {}),
          ...(injectionStrategy ? { injectionStrategy } : {}),
        })),
      );
      expect(applySimpleEdit(advanced, toSimple(advanced))).toEqual(advanced);
    }),
    runs,
  );
});

/** Any edit that simple mode allows: another order, other texts, switches and strategies. */
const edit = fc.array(
  fc.record({
    rank: fc.nat(),
    content: fc.option(fc.string({ minLength: 1 })),
    enabled: fc.option(fc.boolean()),
    strategy,
  }),
  { minLength: 16, maxLength: 16 },
);

test("[C11] an edit in simple mode builds what the same edit of a simple preset builds", () => {
  fc.assert(
    fc.property(simplePreset, edit, groupedHistory, (preset, changes, groups) => {
      const history = entriesOf(groups.flat());
      const advanced = toAdvanced(preset);
      const ranked = toSimple(advanced).map((node, index) => ({
        node: changed(node, changes[index]),
        rank: changes[index]?.rank ?? 0,
      }));
      const edited = ranked.sort((a, b) => a.rank - b.rank).map(({ node }) => node);
      const result = applySimpleEdit(advanced, edited);
      return bytes(result, history) === bytes({ presetMessages: edited }, history);
    }),
    runs,
  );
});

function changed(
  node: ChatMessageNode,
  change:
    | { content: string | null; enabled: boolean | null; strategy?: ChatMessageNode["injectionStrategy"] }
    | undefined,
): ChatMessageNode {
  if (!change || node.type) return node;
  const { injectionStrategy: _, ...rest } = node;
  return {
    ...rest,
    ...(change.content === null ? {} : { content: change.content }),
    ...(change.enabled === null ? {} : { enabled: change.enabled }),
    ...(change.strategy ? { injectionStrategy: change.strategy } : {}),
  };
}

const preset: Preset = {
  messageTemplates: [
    { id: "core", role: "system", content: "core" },
    { id: "note", role: "system", content: "note", defaultInjectionStrategy: { depth: 1 } },
    { id: "unused", role: "system", content: "unused" },
  ],
  contextRecipes: [
    {
      id: "claude",
      modelFilter: ["claude-*"],
      steps: [
        { messageId: "core", enabled: true, overrides: { content: "for claude" } },
        { messageId: "note", enabled: true },
      ],
    },
    { id: "rest", modelFilter: ["*"], steps: [{ messageId: "core", enabled: true }] },
  ],
};

test("[C11] content goes to the template, or to the override where there is one; strategy and order to the steps", () => {
  const [core, note] = toSimple(preset, "claude-3") as [ChatMessageNode, ChatMessageNode];
  const { injectionStrategy, ...plainNote } = note;
  expect(injectionStrategy).toEqual({ depth: 1 });
  const edited = applySimpleEdit(
    preset,
    [
      { ...plainNote, content: "new note" },
      { ...core, content: "new claude" },
    ],
    {
      model: "claude-3",
    },
  );
  expect(edited.messageTemplates).toEqual([
    preset.messageTemplates?.[0],
    { ...preset.messageTemplates?.[1], content: "new note" },
    preset.messageTemplates?.[2],
  ]);
  expect(edited.contextRecipes?.[0]?.steps).toEqual([
    { messageId: "note", enabled: true, injectionStrategy: {} },
    { messageId: "core", enabled: true, overrides: { content: "new claude" } },
  ]);
  expect(edited.contextRecipes?.[1]).toBe(preset.contextRecipes?.[1]);
});

test.each<[string, (nodes: readonly ChatMessageNode[]) => ChatMessageNode[], string]>([
  ["add a message", (nodes) => [...nodes, { id: "new", role: "user" }], "messages[2].id"],
  ["delete a message", (nodes) => nodes.slice(1), "messages"],
  ["show a message twice", (nodes) => [...nodes, nodes[0] as ChatMessageNode], "messages[2].id"],
  ["make a message an anchor", (nodes) => nodes.map((node) => ({ ...node, type: "placeholder" })), "messages[0].type"],
])("[C11] simple mode cannot %s", (_, change, path) => {
  const messages = change(toSimple(preset, "claude-3"));
  expect(() => applySimpleEdit(preset, messages, { model: "claude-3" })).toThrow(
    expect.objectContaining({ code: "EditNotAllowed", path }),
  );
});
