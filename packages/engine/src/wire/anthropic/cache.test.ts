import { describe, expect, test } from "vitest";
import type { AssistantPart, ModelMessage } from "../../model/messages.ts";
import { toAnthropic } from "./export.ts";

const hi: ModelMessage = { role: "user", content: "hi" };
const said = (text: string): object => ({ type: "text", text });
const user = (...content: object[]): object => ({ role: "user", content });
const call = (toolCallId: string): AssistantPart => ({ type: "tool-call", toolCallId, toolName: "f", input: { a: 1 } });
const result = (id: string): object => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const answer = (...ids: string[]): ModelMessage => ({
  role: "tool",
  content: ids.map((toolCallId) => ({
    type: "tool-result",
    toolCallId,
    toolName: "f",
    output: { type: "text", value: "ok" },
  })),
});

describe("cache breakpoints", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const tools = [{ name: "f", inputSchema: { type: "object" } }];
  const messages: ModelMessage[] = [
    { role: "system", content: "S" },
    hi,
    { role: "assistant", content: [{ type: "text", text: "x" }, call("a")] },
    answer("a"),
    { role: "user", content: "more" },
  ];

  test("[P5] each marks the last block of its message, also inside a joined message", () => {
    const { request } = toAnthropic({ messages, tools, cacheBreakpoints: [0, 3] });
    expect(request.system).toEqual([{ ...said("S"), ...mark }]);
    expect(request.messages[2]).toEqual(user({ ...result("a"), ...mark }, said("more")));
    expect(JSON.stringify(request).match(/cache_control/g)).toHaveLength(2);
  });

  test("[P5] where a message left nothing behind, what comes before it is marked; at the very front, the tools", () => {
    const blank: ModelMessage = { role: "system", content: "" };
    const { request } = toAnthropic({ messages: [blank, hi], tools, cacheBreakpoints: [0] });
    expect(request.tools).toEqual([{ name: "f", input_schema: { type: "object" }, ...mark }]);
  });

  test("[P5] thinking is not marked", () => {
    const content: AssistantPart[] = [
      { type: "text", text: "x" },
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
    ];
    const { request } = toAnthropic({
      messages: [hi, { role: "assistant", content }, { role: "assistant", content: "y" }],
      cacheBreakpoints: [1],
    });
    expect(request.messages[1]?.content[0]).toEqual({ ...said("x"), ...mark });
  });

  test("[P5] a breakpoint at no message is a problem", () => {
    expect(toAnthropic({ messages, cacheBreakpoints: [1, 9] }).problems).toMatchObject([
      { path: "cacheBreakpoints[1]" },
    ]);
  });

  test("[P5] what is appended later does not change what was marked before", () => {
    const before = toAnthropic({ messages, cacheBreakpoints: [3] }).request;
    const after = toAnthropic({
      messages: [...messages, { role: "assistant", content: [call("a")] }, answer("a")],
      cacheBreakpoints: [3],
    }).request;
    expect(after.messages.slice(0, 3)).toEqual(before.messages.slice(0, 3));
  });
});
