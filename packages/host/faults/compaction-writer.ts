// Talks in a chat under a budget so small that nearly every turn compacts, and puts the context away now and then. Says what
// was acknowledged: node compaction-writer.ts DATA ROUND
import { writeSync } from "node:fs";
import { openGalley } from "../src/galley/open-galley.ts";

const [data = "", round = ""] = process.argv.slice(2);
const galley = await openGalley({ data });
const chat = await galley.chats.open("faults");
const acknowledge = (line: string): void => void writeSync(1, `${line}\n`);
acknowledge("ready");
for (let turn = 0; ; turn += 1) {
  const input = `${round}-${turn} ${"words that take room ".repeat(20)}`;
  const { compacted } = await finished(input);
  acknowledge(`said ${round}-${turn}${compacted ? " compacted" : ""}`);
  if (turn % 6 === 5) acknowledge(`put away ${(await chat.newContext()).archived?.contextId ?? ""}`);
}

async function finished(input: string): Promise<{ readonly compacted: boolean }> {
  await galley.run({ chat: "faults", input, model: "demo", budget: 1000 }).result;
  const session = { projectId: galley.project, sessionId: "chat:faults" };
  const [last] = await galley.store.builds.list(session, { last: 1 });
  return { compacted: last?.compacted ?? false };
}
