import { expect, test } from "vitest";
import { defaultLimits } from "../config/time-limits.ts";
import { Redactor } from "../secrets/redactor.ts";
import { AcpPrompt } from "./acp-prompt.ts";
import type { PermissionPolicy, PermissionRequest } from "./permission-policy.ts";

const long = "x".repeat(300_000);
const policy: PermissionPolicy = { allow: [], own: ["chat_search"], otherwise: "ask" };

/** A prompt, and what a person was asked in it. */
function promptThatAsks(redactor = new Redactor()): {
  readonly prompt: AcpPrompt;
  readonly asked: PermissionRequest[];
} {
  const asked: PermissionRequest[] = [];
  const prompt = new AcpPrompt({
    agentName: "mara",
    serverName: "galley",
    limits: defaultLimits,
    permissions: policy,
    ask: (request) => {
      asked.push(request);
      return false;
    },
    redactor,
  });
  return { prompt, asked };
}

async function ask(prompt: AcpPrompt): Promise<void> {
  const options = [{ optionId: "no", kind: "reject_once" as const, name: "No" }];
  await prompt.permit({ sessionId: "s-1", toolCall: { toolCallId: "call-1" }, options });
}

test("[I9] a person is never asked about an input that another, too long one, has replaced", async () => {
  const { prompt, asked } = promptThatAsks();
  prompt.take({ sessionUpdate: "tool_call", toolCallId: "call-1", title: "Run", rawInput: { command: "ls" } });
  await ask(prompt);
  prompt.take({ sessionUpdate: "tool_call_update", toolCallId: "call-1", rawInput: { command: long } });
  await ask(prompt);
  prompt.take({ sessionUpdate: "tool_call_update", toolCallId: "call-1", rawInput: { command: "pwd" } });
  await ask(prompt);
  expect(asked.map(({ input }) => input)).toEqual([{ command: "ls" }, "(too long to be shown)", { command: "pwd" }]);
});

test("[I9] a title is cut, and one whose names are too long to be kept does not pass for the name of a tool", async () => {
  const { prompt, asked } = promptThatAsks();
  prompt.take({ sessionUpdate: "tool_call", toolCallId: "call-1", title: `Write ${long}` });
  await ask(prompt);
  expect(asked[0]?.title).toHaveLength(1000);
  prompt.take({
    sessionUpdate: "tool_call_update",
    toolCallId: "call-1",
    title: "chat_search",
    _meta: { toolName: "Bash", long },
  });
  await ask(prompt);
  expect(asked).toHaveLength(2);
  expect(JSON.stringify(asked).length).toBeLessThan(5000);
});

test("[P6] a title that is cut in the middle of a secret does not show half of it", async () => {
  const redactor = new Redactor();
  redactor.add("KEY", "planted-5150-c0ffee");
  const { prompt, asked } = promptThatAsks(redactor);
  prompt.take({ sessionUpdate: "tool_call", toolCallId: "call-1", title: `${"x".repeat(985)} planted-5150-c0ffee` });
  await ask(prompt);
  expect(asked[0]?.title).toContain("xxx");
  expect(asked[0]?.title).not.toContain("planted");
});
