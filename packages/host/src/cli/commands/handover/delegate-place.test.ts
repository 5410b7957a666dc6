import { join } from "node:path";
import { expect, test } from "vitest";
import { file, folder, galley } from "../../testing/run-command.ts";

const data = join(folder, "data");

async function ok(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await galley([...args, "--data", data, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Record<string, unknown>;
}

/** A worker whose agent gives back what it has read. */
async function work(): Promise<void> {
  const script = file(
    "agent.mjs",
    'import { text } from "node:stream/consumers";\nconsole.log(JSON.stringify(JSON.parse(await text(process.stdin)).messages));',
  );
  const run = ["worker", "--run", `"${process.execPath}" "${script}"`, "--until-idle", "--data", data];
  expect((await galley(run)).code).toBe(0);
}

test("[A3a] a task is given with what was said in a chat, with boxes and with a model", async () => {
  await ok("profile", "add", "echo", "--text", "You repeat what you are told.");
  const line = JSON.stringify({ role: "user", content: "The sea is deep." });
  expect((await galley(["chat", "add", "--chat", "sea", "--data", data], `${line}\n`)).code).toBe(0);
  const { output_box_id: box } = await ok("delegate", "echo", "The sky is high.");
  await work();
  const given = ["--place", "chat:sea", "--box", String(box), "--model", "demo"];
  const { task_id: id } = await ok("delegate", "echo", "Repeat all.", ...given);
  await work();
  const { trees } = (await ok("task", "show", String(id))) as { trees: { place: string; result: unknown }[] };
  expect(trees[0]?.place).toBe("chat:sea");
  expect(JSON.stringify(trees[0]?.result)).toMatch(/was said in chat:sea.*The sea is deep\..*The sky is high\./s);
  const none = await galley(["delegate", "echo", "x", "--place", "chat:none", "--data", data]);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining("none")]);
});
