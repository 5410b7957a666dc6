// A process that runs turns in many chats at once, until it is killed. Says on standard output what was acknowledged.
import { writeSync } from "node:fs";
import { openGalley } from "../src/galley/open-galley.ts";

const [data = "", name = ""] = process.argv.slice(2);
const galley = await openGalley({ data, config: false, environment: {} });
const say = (line: string): void => void writeSync(1, `${line}\n`);
const resumed = await galley.resume({ isOwner: true });
await Promise.allSettled(resumed.map(({ result }) => result));
say("ready");

async function talk(chat: number): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const input = turn % 5 === 4 ? `new topic: ${name}-${chat}-${turn}` : `${name}-${chat}-${turn}`;
    const runId = `${name}-${chat}-${turn}`;
    await galley.run({ chat: `chat ${chat}`, input, runId }).result;
    say(`a ${chat} ${input}`);
  }
}
await Promise.all(Array.from({ length: 25 }, (_, chat) => talk(chat)));
