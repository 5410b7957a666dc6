import fc from "fast-check";
import { expect, test } from "vitest";
import { GalleyError } from "../../model/check/errors.ts";
import { entriesOf, runs } from "../../model/testing/history.ts";
import { checkPreset } from "./check-preset.ts";
import { composePreset } from "../compose-preset.ts";
import type { ChatMessageNode, ChatMessageType, InjectionStrategy, Preset } from "./preset.ts";

const history = entriesOf([
  { role: "user", content: "a" },
  { role: "assistant", content: "b" },
]);
const anchor = (id: string, injectionStrategy?: InjectionStrategy, type: ChatMessageType = "placeholder") =>
  ({ id, type, role: "system", ...(injectionStrategy ? { injectionStrategy } : {}) }) satisfies ChatMessageNode;
const into = (anchorTarget: string): InjectionStrategy => ({ anchorTarget });
const chat = (strategy: InjectionStrategy): ChatMessageNode => anchor("chat_history", strategy, "chat_history");

/** The same preset in its advanced form. */
function advanced(nodes: readonly ChatMessageNode[]): Preset {
  return {
    messageTemplates: nodes.map(({ id = "", role, type, injectionStrategy }) => {
      return {
        id,
        name: id,
        role,
        type,
        ...(injectionStrategy ? { defaultInjectionStrategy: injectionStrategy } : {}),
      };
    }),
    contextRecipes: [
      {
        id: "r",
        name: "r",
        modelFilter: ["*"],
        steps: nodes.map(({ id = "" }) => ({ messageId: id, enabled: true })),
      },
    ],
  };
}

test.each<[string, ChatMessageNode[], string]>([
  ["the history in itself", [chat(into("chat_history"))], "chat_history → chat_history"],
  ["the history at a depth", [chat({ depth: 3 })], "chat_history → chat_history"],
  [
    "the history in a placeholder in the history",
    [chat(into("world")), anchor("world", into("chat_history"))],
    "chat_history → world → chat_history",
  ],
  [
    "the history in a placeholder at a depth",
    [anchor("world", { depth: 1 }), chat(into("world"))],
    "world → chat_history → world",
  ],
  ["placeholders", [anchor("a", into("b")), anchor("b", into("a"))], "a → b → a"],
  [
    "the profile in itself",
    [anchor("user_profile", into("user_profile"), "user_profile")],
    "user_profile → user_profile",
  ],
  [
    "three of four",
    [anchor("in", into("a")), anchor("a", into("b")), anchor("b", into("c")), anchor("c", into("a"))],
    "a → b → c → a",
  ],
])("[C4] %s: AnchorCycle names the circle", (_, nodes, circle) => {
  for (const preset of [{ presetMessages: nodes }, advanced(nodes)]) {
    const cycle = expect.objectContaining({ code: "AnchorCycle", message: expect.stringContaining(`: ${circle}.`) });
    expect(checkPreset(preset)).toContainEqual(cycle);
    // A preset that was refused is refused again.
    for (let time = 0; time < 2; time += 1) expect(() => composePreset({ preset, history })).toThrow(cycle);
  }
});

test("[C4] a circle of 50,000 anchors is named in one line", () => {
  const nodes = Array.from({ length: 50_000 }, (_, index) => anchor(`a${index}`, into(`a${(index + 1) % 50_000}`)));
  expect(() => composePreset({ preset: { presetMessages: nodes } })).toThrow(
    /: a0 → a1 → a2 → a3 → a4 → a5 → … → a49996 → a49997 → a49998 → a49999 → a0\.$/,
  );
});

test("[C9] a circle that a disabled anchor opens is none", () => {
  const nodes = [anchor("a", into("b")), { ...anchor("b", into("a")), enabled: false }];
  const { ledger } = composePreset({ preset: { presetMessages: nodes }, history });
  expect(ledger[0]).toMatchObject({ id: "a", fate: "dropped", rule: "unresolved-anchor" });
});

const names = ["chat_history", "user_profile", "a", "b", "c"] as const;
const strategy: fc.Arbitrary<InjectionStrategy> = fc.oneof(
  fc.record({ anchorTarget: fc.constantFrom(...names), anchorPosition: fc.constantFrom("before", "after") }),
  fc.record({ depth: fc.nat(3) }),
);
/** Anchors that are injected into each other at will; ids may be taken twice, as in presets that were never checked. */
const node: fc.Arbitrary<ChatMessageNode> = fc
  .record({ id: fc.constantFrom(...names), strategy: fc.option(strategy, { nil: undefined }), isOff: fc.boolean() })
  .map(({ id, strategy: own, isOff }) => ({
    ...anchor(id, own, id === "chat_history" || id === "user_profile" ? id : "placeholder"),
    content: id,
    ...(isOff ? { enabled: false } : {}),
  }));

test("[C4] a preset composes, each item once, or is an AnchorCycle that names its circle", () => {
  fc.assert(
    fc.property(fc.array(node, { maxLength: 9 }), (presetMessages) => {
      const isCyclic = checkPreset({ presetMessages }).some(({ code }) => code === "AnchorCycle");
      try {
        const { messages, ledger } = composePreset({ preset: { presetMessages }, history, userProfile: "me" });
        const positions = ledger.flatMap((row) => row.position ?? []);
        return !isCyclic && positions.length === messages.length && new Set(positions).size === messages.length;
      } catch (error) {
        if (!(error instanceof GalleyError) || error.code !== "AnchorCycle") throw error;
        const [, circle = ""] = /circle: (.*)\.$/.exec(error.message.replace(/ \(and \d+ more\)$/, "")) ?? [];
        const members = circle.split(" → ");
        return isCyclic && members.length > 1 && members[0] === members.at(-1);
      }
    }),
    runs,
  );
});
