// What is interrupted at every change of the disk in turn. Says what was acknowledged, and at the end how many changes it took.
import { writeSync } from "node:fs";
import { changesMade } from "../testing/crash-at.ts";

const { openChat } = await import("../src/chat/open-chat.ts");
const chat = await openChat(process.argv[2] ?? "", "faults");
const acknowledge = (line: string): void => void writeSync(1, `${line}\n`);
let count = 0;

async function say(...roles: ("user" | "assistant")[]): Promise<void> {
  for (const role of roles) {
    const name = `x1-${(count += 1)}`;
    await chat.append([{ role, content: `${name} ${"text ".repeat(10)}` }]);
    acknowledge(`a ${name}`);
  }
}

await say("user", "assistant");
const first = (await chat.newContext()).archived?.contextId ?? "";
acknowledge(`s ${first}`);
await say("user", "assistant", "user");
acknowledge(`s ${(await chat.loadContext({ contextId: first })).archived?.contextId ?? ""}`);
await say("assistant");
acknowledge(`s ${(await chat.newContext()).archived?.contextId ?? ""}`);
await chat.loadContext({ contextId: first, mode: "recent" });
await say("user", "assistant");
acknowledge(`s ${(await chat.newContext()).archived?.contextId ?? ""}`);
await chat.renameContext(first, "Renamed");
await say("user");
await chat.close();
acknowledge(`done ${changesMade()}`);
