import { GalleyError, type JsonObject } from "@galley/engine";
import { describe, expect, test } from "vitest";
import type { HandoverConfig } from "../options/handover-config.ts";
import { packRules } from "./pack-rules.ts";

const profile: HandoverConfig = { target_profile_config: { profile_name: "coder" } };

function errorOf(run: () => unknown): { code: string; path: string | undefined; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof GalleyError) return { code: error.code, path: error.path, message: error.message };
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

function packing(config: HandoverConfig["context_packing_config"]): HandoverConfig {
  return config === undefined ? profile : { ...profile, context_packing_config: config };
}

describe("[H2] the target's profile", () => {
  test.each<[string, JsonObject, HandoverConfig, string]>([
    ["the argument before the configuration", { profile_name: "writer" }, profile, "writer"],
    ["else the configuration", {}, profile, "coder"],
    ["null does not count as an argument", { profile_name: null }, profile, "coder"],
  ])("%s", (_, args, handover, expected) => {
    expect(packRules(args, handover).profile.name).toBe(expected);
  });

  test.each<[string, JsonObject, HandoverConfig, string]>([
    ["none at all", {}, {}, "args.profile_name"],
    ["an empty argument", { profile_name: " " }, profile, "args.profile_name"],
    ["a number", { profile_name: 7 }, profile, "args.profile_name"],
    [
      "an empty configuration",
      {},
      { target_profile_config: { profile_name: "" } },
      "handover.target_profile_config.profile_name",
    ],
  ])("%s is a BadRequest", (_, args, handover, path) => {
    expect(errorOf(() => packRules(args, handover))).toMatchObject({ code: "BadRequest", path });
  });
});

describe("[H2] packed arguments", () => {
  const cases: [string, JsonObject, unknown[], unknown[]][] = [
    [
      "a text is an instruction of the user unless the rule says otherwise",
      { goal: "Fix it." },
      [{ arg_key: "goal" }],
      [{ type: "task.instruction", metadata: { role: "user" }, content: { kind: "text", text: "Fix it." } }],
    ],
    [
      "type and metadata are the rule's",
      { goal: "x" },
      [{ arg_key: "goal", as_card_type: "task.goal", card_metadata: { role: "system", weight: 2 } }],
      [{ type: "task.goal", metadata: { role: "system", weight: 2 }, content: { kind: "text", text: "x" } }],
    ],
    [
      "objects and lists are JSON",
      { a: { b: 1 }, c: [1, "2"] },
      [{ arg_key: "a" }, { arg_key: "c" }],
      [{ content: { kind: "json", value: { b: 1 } } }, { content: { kind: "json", value: [1, "2"] } }],
    ],
    [
      "what else there is becomes text",
      { a: 1.5, b: false, c: null },
      [{ arg_key: "a" }, { arg_key: "b" }, { arg_key: "c" }],
      [{ content: { text: "1.5" } }, { content: { text: "false" } }, { content: { text: "null" } }],
    ],
    ["an argument that is not there makes no card", { a: "x" }, [{ arg_key: "b" }], []],
    [
      "what the language itself has does not count as an argument",
      {},
      [{ arg_key: "toString" }, { arg_key: "__proto__" }],
      [],
    ],
    [
      "rules that are not objects are passed over",
      { a: "x" },
      ["a", null, 7, ["a"], { arg_key: "a" }],
      [{ content: { text: "x" } }],
    ],
    [
      "the order is that of the rules, and a rule may come twice",
      { a: "1", b: "2" },
      [{ arg_key: "b" }, { arg_key: "a" }, { arg_key: "b" }],
      [{ content: { text: "2" } }, { content: { text: "1" } }, { content: { text: "2" } }],
    ],
    [
      "result fields are a schema",
      { fields: ["summary", { name: "score", type: "number", required: false }] },
      [{ arg_key: "fields", as_card_type: "task.result_fields" }],
      [
        {
          type: "task.result_fields",
          content: {
            kind: "fields",
            fields: [
              { name: "summary", type: "any", required: true },
              { name: "score", type: "number", required: false },
            ],
          },
        },
      ],
    ],
  ];
  test.each(cases)("%s", (_, args, rules, expected) => {
    const { cards } = packRules(args, packing({ pack_arguments: rules }));
    expect(cards).toHaveLength(expected.length);
    expect(cards).toMatchObject(expected);
  });

  test("metadata is copied: a later change of the configuration changes no card", () => {
    const metadata = { tag: "before" };
    const { cards } = packRules({ a: "x" }, packing({ pack_arguments: [{ arg_key: "a", card_metadata: metadata }] }));
    metadata.tag = "after";
    expect(cards[0]?.metadata).toEqual({ tag: "before", role: "user" });
  });

  const rule = "handover.context_packing_config.pack_arguments.0";
  const fields = [{ arg_key: "f", as_card_type: "task.result_fields" }];
  const refused: [string, JsonObject, unknown[], string][] = [
    ["a rule without arg_key", {}, [{}], `${rule}.arg_key`],
    ["an unknown field of a rule", {}, [{ arg_key: "a", as_type: "x" }], `${rule}.as_type`],
    ["metadata that is not an object", { a: "x" }, [{ arg_key: "a", card_metadata: "user" }], `${rule}.card_metadata`],
    [
      "a role that nobody has",
      { a: "x" },
      [{ arg_key: "a", card_metadata: { role: "boss" } }],
      `${rule}.card_metadata.role`,
    ],
    ["result fields that are a text", { f: "summary" }, fields, "args.f"],
    ["result fields that are an object", { f: { name: "a" } }, fields, "args.f"],
    ["result fields that are null", { f: null }, fields, "args.f"],
    ["no result field", { f: [] }, fields, "args.f"],
    ["a result field without a name", { f: ["a", { type: "string" }] }, fields, "args.f.1.name"],
    ["a result field of an unknown type", { f: [{ name: "a", type: "date" }] }, fields, "args.f.0.type"],
    ["a result field twice", { f: ["a", { name: "a" }] }, fields, "args.f.1.name"],
  ];
  test.each(refused)("%s is a BadRequest", (_, args, rules, path) => {
    expect(errorOf(() => packRules(args, packing({ pack_arguments: rules })))).toMatchObject({
      code: "BadRequest",
      path,
    });
  });
});

describe("[H2] boxes from arguments", () => {
  const inherit = (...names: string[]): HandoverConfig =>
    packing({ inherit_context: { include_boxes_from_args: names } });

  test.each<[string, JsonObject, string[], unknown[]]>([
    ["one id", { box: "b1" }, ["box"], [{ boxId: "b1", path: "args.box" }]],
    ["a number", { box: 17 }, ["box"], [{ boxId: "17", path: "args.box" }]],
    [
      "a list",
      { box: ["b1", 2] },
      ["box"],
      [
        { boxId: "b1", path: "args.box.0" },
        { boxId: "2", path: "args.box.1" },
      ],
    ],
    ["arguments in the order of the list of names", { a: "1", b: ["2"] }, ["b", "a"], [{ boxId: "2" }, { boxId: "1" }]],
    ["nothing where the argument is not there or null", { a: null }, ["a", "b"], []],
  ])("%s", (_, args, names, expected) => {
    const { boxes } = packRules(args, inherit(...names));
    expect(boxes).toHaveLength(expected.length);
    expect(boxes).toMatchObject(expected);
  });

  test.each<[string, JsonObject, string]>([
    ["true", { box: true }, "args.box"],
    ["an object", { box: { id: "b1" } }, "args.box"],
    ["an empty id", { box: "" }, "args.box"],
    ["a fraction", { box: 1.5 }, "args.box"],
    ["a list that holds null", { box: ["b1", null] }, "args.box.1"],
    ["a list in a list", { box: [["b1"]] }, "args.box.0"],
  ])("%s is a BadRequest", (_, args, path) => {
    expect(errorOf(() => packRules(args, inherit("box")))).toMatchObject({ code: "BadRequest", path });
  });

  test("an unknown field of the configuration is refused with its path", () => {
    const config = { context_packing_config: { inherit_context: { include_parents: true } } } as HandoverConfig;
    expect(errorOf(() => packRules({ profile_name: "x" }, config))).toMatchObject({
      code: "BadRequest",
      path: "handover.context_packing_config.inherit_context.include_parents",
    });
  });
});
