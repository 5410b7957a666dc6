import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { file, folder, galley } from "../../testing/run-command.ts";

const data = join(folder, "data");

async function ok(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await galley([...args, "--data", data, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Record<string, unknown>;
}

/** A worker whose agent is this code; what it has read is `messages` and `tools`. */
async function work(code: string, ...more: string[]): Promise<void> {
  const read =
    'import { text } from "node:stream/consumers";\nconst { messages, tools } = JSON.parse(await text(process.stdin));';
  const script = file("agent.mjs", `${read}\n${code}`);
  const run = ["worker", "--run", `"${process.execPath}" "${script}"`, "--until-idle", "--data", data, ...more];
  expect((await galley(run)).code).toBe(0);
}

const repeat = "console.log(JSON.stringify(messages));";

test("[A3a] a task is given with what was said in a chat, with boxes and with a model", async () => {
  await ok("profile", "add", "echo", "--text", "You repeat what you are told.");
  const line = JSON.stringify({ role: "user", content: "The sea is deep." });
  expect((await galley(["chat", "add", "--chat", "sea", "--data", data], `${line}\n`)).code).toBe(0);
  const { output_box_id: box } = await ok("delegate", "echo", "The sky is high.");
  await work(repeat);
  const given = ["--place", "chat:sea", "--box", String(box), "--model", "demo"];
  const { task_id: id } = await ok("delegate", "echo", "Repeat all.", ...given);
  await work(repeat);
  const { trees } = (await ok("task", "show", String(id))) as { trees: { place: string; result: unknown }[] };
  expect(trees[0]?.place).toBe("chat:sea");
  expect(JSON.stringify(trees[0]?.result)).toMatch(/was said in chat:sea.*The sea is deep\..*The sky is high\./s);
  const none = await galley(["delegate", "echo", "x", "--place", "chat:none", "--data", data]);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining("none")]);
});

test("[T2] a worker's task has the tools that a task has anywhere: those of galley.config.ts, and the own ones that are offered", async () => {
  mkdirSync(join(folder, "with-tools"), { recursive: true });
  const config = `export default {
    context: { ownTools: ["recall"] },
    tools: [{ name: "tide", description: "Gives the tide.", inputSchema: { type: "object" },
      execute: async () => ({ kind: "result", content: [{ type: "text", text: "high" }] }) }],
  };`;
  const at = ["--config", dirname(file("with-tools/galley.config.ts", config))];
  const { task_id: id } = await ok("delegate", "echo", "Begin.", ...at);
  await work(
    `const call = { type: "tool-call", toolCallId: "1", toolName: "tide", input: {} };
     const last = messages.at(-1);
     if (last.role === "tool") console.log(last.content[0].output.value + " " + tools.map(({ name }) => name));
     else console.log(JSON.stringify({ role: "assistant", content: [call] }));`,
    ...at,
  );
  const { trees } = (await ok("task", "show", String(id))) as { trees: Record<string, unknown>[] };
  expect(trees).toMatchObject([{ status: "succeeded", result: "high context_recall,tide" }]);
});
