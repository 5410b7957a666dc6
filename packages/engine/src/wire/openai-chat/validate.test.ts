import { describe } from "vitest";
import type { OpenAiChatMessage, OpenAiChatPart } from "./types.ts";
import { expectFaults, objectSchema, toolNames } from "../testing/planted-faults.ts";
import { validateOpenAiChat } from "./validate.ts";

describe("openai-chat", () => {
  const hi: OpenAiChatMessage = { role: "user", content: "hi" };
  const call = (id: string, name = "f") => ({ type: "function" as const, id, function: { name, arguments: "{}" } });
  const calls = (...ids: string[]): OpenAiChatMessage => ({ role: "assistant", tool_calls: ids.map((id) => call(id)) });
  const result = (tool_call_id: string): OpenAiChatMessage => ({ role: "tool", tool_call_id, content: "" });
  expectFaults<OpenAiChatMessage[]>(
    "messages",
    [
      [
        "a whole conversation",
        [{ role: "system", content: "" }, hi, calls("a", "b"), result("b"), result("a"), hi],
        undefined,
      ],
      ["no message", [], "messages"],
      ["an assistant message without anything", [{ role: "assistant" }], "messages[0]"],
      ["an assistant message of nothing", [{ role: "assistant", content: null }], "messages[0]"],
      ["an empty list of calls", [{ role: "assistant", content: "x", tool_calls: [] }], "messages[0].tool_calls"],
      ["an empty list of parts", [{ role: "user", content: [] }], "messages[0].content"],
      ["a call without a result", [hi, calls("a", "b"), result("a")], "messages[1].tool_calls[1]"],
      [
        "a message between call and result",
        [calls("a"), hi, result("a")],
        "messages[0].tool_calls[0]|messages[2].tool_call_id",
      ],
      ["two results for one call", [calls("a"), result("a"), result("a")], "messages[0].tool_calls[0]"],
      ["a result without a call", [hi, result("a")], "messages[1].tool_call_id"],
      [
        "a result of an earlier call",
        [calls("a"), result("a"), calls("b"), result("b"), result("a")],
        "messages[4].tool_call_id",
      ],
      ["a long id", [calls("a".repeat(41)), result("a".repeat(41))], "messages[0].tool_calls[0].id"],
      ["an empty id", [calls(""), result("")], "messages[0].tool_calls[0].id"],
      [
        "a name that is none",
        [{ role: "assistant", tool_calls: [call("a", "a b")] }, result("a")],
        "messages[0].tool_calls[0].function.name",
      ],
    ],
    (messages) => validateOpenAiChat({ messages }),
  );
  expectFaults<OpenAiChatPart>(
    "parts",
    [
      ["a data URL", { type: "image_url", image_url: { url: "data:image/png;base64,AA" } }, undefined],
      ["an empty text", { type: "text", text: "" }, "messages[0].content[0].text"],
      [
        "an image that is neither URL nor data",
        { type: "image_url", image_url: { url: "AAAA" } },
        "messages[0].content[0].image_url.url",
      ],
      [
        "an image of a kind that is not taken",
        { type: "image_url", image_url: { url: "data:image/svg+xml;base64,AA" } },
        "messages[0].content[0].image_url.url",
      ],
      [
        "empty sound",
        { type: "input_audio", input_audio: { data: "", format: "wav" } },
        "messages[0].content[0].input_audio.data",
      ],
      [
        "a file that is not a data URL",
        { type: "file", file: { filename: "a", file_data: "AAAA" } },
        "messages[0].content[0].file.file_data",
      ],
    ],
    (part) => validateOpenAiChat({ messages: [{ role: "user", content: [part] }] }),
  );
  const tool = (name: string, parameters: object) => ({
    type: "function" as const,
    function: { name, parameters: parameters as Record<string, never> },
  });
  expectFaults<ReturnType<typeof tool>[]>(
    "tools",
    [
      ["128 tools", toolNames(128).map((name) => tool(name, objectSchema)), undefined],
      ["129 tools", toolNames(129).map((name) => tool(name, objectSchema)), "tools"],
      ["a long name", [tool("a".repeat(65), objectSchema)], "tools[0].function.name"],
      ["two of one name", [tool("a", objectSchema), tool("a", objectSchema)], "tools[1].function.name"],
      ["a schema without a type", [tool("a", {})], "tools[0].function.parameters"],
      ["a choice at the top", [tool("a", { ...objectSchema, anyOf: [] })], "tools[0].function.parameters"],
    ],
    (tools) => validateOpenAiChat({ messages: [hi], tools }),
  );
});
