import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSession } from "@galley/engine";
import { expect, test } from "vitest";
import type { BuildDocument } from "../../input/build-document.ts";
import { openGalley } from "../../../galley/open-galley.ts";
import { example, folder, galley } from "../../testing/run-command.ts";

async function built(path: string): Promise<string> {
  const { out } = await galley(["build", "--json", "--session", path]);
  return (JSON.parse(out) as BuildDocument).digest;
}

test("[F15] compact --undo takes the newest compaction of a session file back, and of a chat", async () => {
  const path = join(folder, "undone.jsonl");
  copyFileSync(example("session.jsonl"), path);
  const limits = ["--model", "gpt-5", "--budget", "110"];
  const before = await built(path);
  expect((await galley(["compact", path, ...limits, "--apply", "--undo"])).code).toBe(2);
  await galley(["compact", path, ...limits, "--apply"]);
  expect(await built(path)).not.toBe(before);
  const { out } = await galley(["compact", path, "--undo", "--json"]);
  const compaction = parseSession(readFileSync(path, "utf8")).entries.find(({ type }) => type === "compaction");
  expect(JSON.parse(out)).toEqual({ undone: compaction?.id });
  expect(await built(path)).toBe(before);
  expect((await galley(["compact", path, "--undo"])).err).toMatch(/NotFound[^]*no compaction to undo/);
  const data = join(folder, "undo-in-a-chat");
  const own = await openGalley({ data });
  const words = "a word and another ".repeat(40);
  await (await own.chats.open("demo")).append([1, 2, 3, 4, 5, 6].map(() => ({ role: "user", content: words })));
  const turn = await own.turn({ chat: "demo", model: "demo", input: "Go on", budget: 700 });
  await turn.commit({ assistant: "Yes." });
  await own.close();
  const undone = await galley(["compact", "chat:demo", "--data", data, "--undo"]);
  expect(undone).toMatchObject({ code: 0, out: expect.stringMatching(/^Undone: c_/u) });
  expect((await galley(["compact", "chat:demo", "--data", data, "--undo"])).err).toContain("NotFound");
});
