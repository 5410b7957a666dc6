import { expect, test } from "vitest";
import { readBuildFile } from "./build-file.ts";

const messages = [{ role: "user", content: "飞艇" }];

test("reads what galley build prints", () => {
  const row = { kind: "message", id: "m1", role: "user", fate: "kept", position: 0 };
  const file = {
    messages,
    tools: [{ name: "read", inputSchema: {} }],
    ledger: [row, 7],
    digest: "ab",
    stats: { tokenizer: "o200k_base" },
    recipe: { id: "r" },
  };
  expect(readBuildFile(JSON.stringify(file))).toEqual({
    messages,
    tools: file.tools,
    ledger: [row],
    digest: "ab",
    tokenizer: "o200k_base",
    recipe: "r",
  });
});

test("reads a plain list of messages", () => {
  expect(readBuildFile(JSON.stringify(messages)).messages).toEqual(messages);
});

test.each([
  ["not JSON", "{", ""],
  ["something else", '{"presetMessages":[]}', "messages"],
  ["null", "null", "messages"],
  ["a message without a role", '{"messages":[{"content":"x"}]}', "messages[0].role"],
])("refuses %s and says where", (_, text, path) => {
  expect(() => readBuildFile(text)).toThrow(expect.objectContaining(path ? { path } : { name: "GalleyError" }));
});
