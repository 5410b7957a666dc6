import { describe, expect, test } from "vitest";
import type { OpenAiInputItem, OpenAiInputPart } from "./types.ts";
import { expectFaults } from "../testing/planted-faults.ts";
import { validateOpenAiResponses } from "./validate.ts";

describe("openai-responses", () => {
  const hi: OpenAiInputItem = { role: "user", content: "hi" };
  const call = (call_id: string, more: object = {}): OpenAiInputItem => ({
    type: "function_call",
    call_id,
    name: "f",
    arguments: "{}",
    ...more,
  });
  const result = (call_id: string): OpenAiInputItem => ({ type: "function_call_output", call_id, output: "" });
  const thought: OpenAiInputItem = { type: "reasoning", id: "rs_1", summary: [] };
  expectFaults<OpenAiInputItem[]>(
    "input",
    [
      [
        "a whole conversation",
        [hi, thought, call("a", { id: "fc_1" }), result("a"), thought, { role: "assistant", content: "x" }],
        undefined,
      ],
      ["no input", [], "input"],
      ["a call without a result", [call("a")], "input[0]"],
      ["a result without a call", [hi, result("a")], "input[1].call_id"],
      ["two results for one call", [call("a"), result("a"), result("a")], "input[2].call_id"],
      ["two calls of one id", [call("a"), result("a"), call("a"), result("a")], "input[2].call_id"],
      ["a result before its call", [result("a"), call("a")], "input[0].call_id|input[1]"],
      ["a long id", [call("a".repeat(65)), result("a".repeat(65))], "input[0].call_id|input[1].call_id"],
      ["an item id that is not a call's", [call("a", { id: "call_1" }), result("a")], "input[0].id"],
      ["a name that is none", [call("a", { name: "" }), result("a")], "input[0].name"],
      ["reasoning at the end", [hi, thought], "input[1]"],
      ["reasoning before a user message", [thought, hi], "input[0]"],
      ["reasoning without an id", [{ type: "reasoning", id: "", summary: [] }, call("a"), result("a")], "input[0].id"],
      [
        "a message id that is none",
        [
          {
            type: "message",
            id: "x",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "x", annotations: [] }],
          },
        ],
        "input[0].id",
      ],
      [
        "a message without content",
        [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content: [] }],
        "input[0].content",
      ],
      ["an empty list of parts", [{ role: "user", content: [] }], "input[0].content"],
    ],
    (input) => validateOpenAiResponses({ input }),
  );
  expectFaults<OpenAiInputPart>(
    "parts",
    [
      ["an image by file id", { type: "input_image", detail: "auto", file_id: "file-1" }, undefined],
      ["an empty text", { type: "input_text", text: "" }, "input[0].content[0].text"],
      ["an image that is nowhere", { type: "input_image", detail: "auto" }, "input[0].content[0]"],
      ["an image that is not one", { type: "input_image", detail: "auto", image_url: "AAAA" }, "input[0].content[0]"],
      ["a file in two places", { type: "input_file", file_id: "a", file_url: "https://a.b" }, "input[0].content[0]"],
    ],
    (part) => validateOpenAiResponses({ input: [{ role: "user", content: [part] }] }),
  );
  test("[P5] tools", () => {
    const tools = [{ type: "function" as const, name: "a b", parameters: {}, strict: false }];
    const paths = validateOpenAiResponses({ input: [hi], tools }).map(({ path }) => path);
    expect(paths).toEqual(["tools[0].name", "tools[0].parameters"]);
  });
});
