import { describe } from "vitest";
import type { AnthropicBlock, AnthropicRequest } from "./types.ts";
import { expectFaults, objectSchema } from "../testing/planted-faults.ts";
import { validateAnthropic } from "./validate.ts";

describe("anthropic", () => {
  const text = (value: string): AnthropicBlock => ({ type: "text", text: value });
  const use = (id: string, more: object = {}): AnthropicBlock => ({
    type: "tool_use",
    id,
    name: "f",
    input: {},
    ...more,
  });
  const result = (id: string, more: object = {}): AnthropicBlock => ({ type: "tool_result", tool_use_id: id, ...more });
  const thought: AnthropicBlock = { type: "thinking", thinking: "", signature: "s" };
  const talk = (...contents: AnthropicBlock[][]): AnthropicRequest => ({
    messages: contents.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
  });
  const hi = [text("hi")];
  const cached = { ...text("x"), cache_control: { type: "ephemeral" } } as AnthropicBlock;
  expectFaults<AnthropicRequest>(
    "messages",
    [
      [
        "a whole conversation",
        talk(hi, [thought, text("x"), use("a"), use("b")], [result("b"), result("a"), text("x")], hi),
        undefined,
      ],
      ["no message", { messages: [] }, "messages"],
      ["the assistant first", { messages: [{ role: "assistant", content: hi }] }, "messages[0].role"],
      [
        "two of one role",
        {
          messages: [
            { role: "user", content: hi },
            { role: "user", content: hi },
          ],
        },
        "messages[1].role",
      ],
      ["an empty message", talk([], hi), "messages[0].content"],
      ["a blank text", talk([text(" \n")]), "messages[0].content[0].text"],
      ["a blank system text", { ...talk(hi), system: [{ type: "text", text: "" }] }, "system[0].text"],
      ["a prefill that ends with white space", talk(hi, [text("x ")]), "messages[1].content[0].text"],
      ["thinking at the end of a message", talk(hi, [text("x"), thought], hi), "messages[1].content[1]"],
      [
        "thinking without a signature",
        talk(hi, [{ ...thought, signature: "" }, text("x")]),
        "messages[1].content[0].signature",
      ],
      [
        "thinking with a breakpoint",
        talk(hi, [{ ...thought, cache_control: { type: "ephemeral" } } as AnthropicBlock, text("x")]),
        "messages[1].content[0].cache_control",
      ],
      [
        "redacted thinking without data",
        talk(hi, [{ type: "redacted_thinking", data: "" }, text("x")]),
        "messages[1].content[0].data",
      ],
      ["a user's thinking", talk([thought, text("x")]), "messages[0].content[0]"],
      [
        "an assistant's image",
        talk(hi, [{ type: "image", source: { type: "url", url: "https://a.b" } }]),
        "messages[1].content[0]",
      ],
      ["a call without a result", talk(hi, [use("a"), use("b")], [result("a")]), "messages[1].content[1]"],
      ["a call at the end", talk(hi, [use("a")]), "messages[1].content[0]"],
      ["a result without a call", talk([result("a")]), "messages[0].content[0].tool_use_id"],
      [
        "two results for one call",
        talk(hi, [use("a")], [result("a"), result("a")]),
        "messages[2].content[1].tool_use_id",
      ],
      [
        "a result one message too late",
        talk(hi, [use("a")], hi, hi, [result("a")]),
        "messages[1].content[0]|messages[4].content[0].tool_use_id",
      ],
      ["a result behind a text", talk(hi, [use("a")], [text("x"), result("a")]), "messages[2].content[1]"],
      [
        "an id that is none",
        talk(hi, [use("a b")], [result("a b")]),
        "messages[1].content[0].id|messages[2].content[0].tool_use_id",
      ],
      [
        "two calls of one id",
        talk(hi, [use("a")], [result("a")], [use("a")], [result("a")]),
        "messages[3].content[0].id",
      ],
      ["a name that is none", talk(hi, [use("a", { name: "x.y" })], [result("a")]), "messages[1].content[0].name"],
      [
        "arguments that are not an object",
        talk(hi, [use("a", { input: [] })], [result("a")]),
        "messages[1].content[0].input",
      ],
      [
        "a blank text in a result",
        talk(hi, [use("a")], [result("a", { content: [text("")] })]),
        "messages[2].content[0].content[0].text",
      ],
      ["a blank result", talk(hi, [use("a")], [result("a", { content: " " })]), "messages[2].content[0].content"],
      [
        "an image of a kind that is not taken",
        talk([{ type: "image", source: { type: "base64", media_type: "image/bmp" as "image/png", data: "A" } }]),
        "messages[0].content[0].source.media_type",
      ],
      [
        "an empty image",
        talk([{ type: "image", source: { type: "base64", media_type: "image/png", data: "" } }]),
        "messages[0].content[0].source.data",
      ],
      [
        "a URL that is none of the web",
        talk([{ type: "image", source: { type: "url", url: "file:///a" } }]),
        "messages[0].content[0].source.url",
      ],
      [
        "an empty document",
        talk([{ type: "document", source: { type: "text", media_type: "text/plain", data: "" } }]),
        "messages[0].content[0].source.data",
      ],
      [
        "an empty file id",
        talk([{ type: "document", source: { type: "file", file_id: "" } }]),
        "messages[0].content[0].source.file_id",
      ],
      ["four breakpoints", talk([cached, cached, cached, cached]), undefined],
      [
        "five breakpoints",
        { ...talk([cached, cached, cached, cached]), system: [cached] as AnthropicRequest["system"] & object },
        "",
      ],
      [
        "more messages than are taken",
        {
          messages: Array.from({ length: 100_001 }, (_, index) => ({
            role: index % 2 === 0 ? "user" : "assistant",
            content: hi,
          })),
        },
        "messages",
      ],
    ],
    (request) => validateAnthropic(request),
  );
  const tool = (name: string, input_schema: object) => ({ name, input_schema: input_schema as { type: "object" } });
  expectFaults<ReturnType<typeof tool>[]>(
    "tools",
    [
      ["a name of 128 characters", [tool("a".repeat(128), objectSchema)], undefined],
      ["a name of 129 characters", [tool("a".repeat(129), objectSchema)], "tools[0].name"],
      ["two of one name", [tool("a", objectSchema), tool("a", objectSchema)], "tools[1].name"],
      ["a schema of a text", [tool("a", { type: "string" })], "tools[0].input_schema"],
      ["a choice at the top", [tool("a", { ...objectSchema, oneOf: [] })], "tools[0].input_schema"],
    ],
    (tools) => validateAnthropic({ ...talk(hi), tools }),
  );
});
