// A process that writes to a chat as fast as it can, until it is killed. Says on standard output what was acknowledged:
// `a <text>` for a message, `s <contextId>` for an archive.
import { writeSync } from "node:fs";
import { openChat } from "../src/chat/open-chat.ts";

const [dataFolder = "", name = "", seed = "1"] = process.argv.slice(2);
const chat = await openChat(dataFolder, "faults", { patience: 60_000 });
const acknowledge = (line: string): void => void writeSync(1, `${line}\n`);

let state = Number(seed);
/** A number below `limit`, the same for the same seed. */
function random(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}

/** Now and then long enough for a write to be cut in the middle. */
function filling(): string {
  const kind = random(20);
  return "填x".repeat(kind === 0 ? random(200_000) : kind < 5 ? random(5000) : random(40));
}

async function switchContext(): Promise<void> {
  if (random(2) === 0) {
    const { archived } = await chat.newContext({ title: `${name} was here` });
    if (archived) acknowledge(`s ${archived.contextId}`);
    return;
  }
  const { contexts } = await chat.listContexts(5);
  const contextId = contexts[random(contexts.length)]?.contextId;
  if (contextId === undefined) return;
  const { archived } = await chat.loadContext({ contextId, mode: random(2) === 0 ? "full" : "recent" });
  if (archived) acknowledge(`s ${archived.contextId}`);
}

process.stdout.on("error", () => process.exit(0));
acknowledge("ready");
let count = 0;
for (;;) {
  // Several at once, so that they share a commit.
  const texts = Array.from({ length: 1 + random(4) }, () => `${name}-${(count += 1)}`);
  await Promise.all(
    texts.map(async (text) => {
      const role = random(2) === 0 ? "user" : "assistant";
      await chat.append([{ role, content: `${text} ${filling()}` }]);
      acknowledge(`a ${text}`);
    }),
  );
  if (random(6) === 0) await switchContext();
}
