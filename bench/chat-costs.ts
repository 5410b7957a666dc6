import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messagePage } from "../packages/host/src/daemon/handlers/message-page.ts";
import type { Claim } from "./claim.ts";
import { inMs, interleave, mean, median, medianRatio } from "./measure.ts";
import { freshText, openQuietly, processTime, writeChat } from "./path.ts";

// What people do with chats beside turns: scrolling back, putting a context away, listing.

const clock = processTime;
const rounds = { rounds: 60, warmUp: 20, clock, prepare: () => undefined };

/** Goes back through a long chat, page by page. */
export async function scrollClaim(data: string): Promise<Claim> {
  const galley = await openQuietly(`${data}/scroll`);
  writeChat(`${data}/scroll`, "c", 100_000);
  const chat = await galley.chats.open("c");
  const times: number[] = [];
  let before: string | undefined;
  for (let page = 0; page < 700; page += 1) {
    const start = clock();
    const { messages } = messagePage(
      (limits) => chat.transcript(limits),
      { limit: 100, ...(before === undefined ? {} : { before }) },
      "bench",
    );
    times.push(clock() - start);
    before = messages[0]?.id;
  }
  await galley.close();
  const [first, late] = [times.slice(100, 200), times.slice(450, 550)].map(mean);
  return {
    claim: "scrolling back: the 500th page of 100 messages (mean of 100 around it)",
    against: "the first pages (mean of 100, once the code is compiled)",
    peer: inMs(first as number),
    own: inMs(late as number),
    ratio: (late as number) / (first as number),
    limit: 1.2,
  };
}

/** Puts contexts away in a chat with few archives and in one with many. */
export async function putAwayClaim(data: string): Promise<Claim> {
  const galley = await openQuietly(`${data}/archives`);
  const [few, many] = [await galley.chats.open("few"), await galley.chats.open("many")];
  const putAway = async (chat: typeof few): Promise<void> => {
    await chat.append([
      { role: "user", content: freshText() },
      { role: "assistant", content: freshText() },
    ]);
    await chat.newContext();
  };
  for (let count = 0; count < 2000; count += 1) await putAway(many);
  const times = await interleave(rounds, { few: () => putAway(few), many: () => putAway(many) });
  await galley.close();
  return {
    claim: "putting a context away beside 2,000 archives",
    against: "beside 20",
    peer: inMs(median(times.few)),
    own: inMs(median(times.many)),
    ratio: medianRatio(times.many, times.few),
    limit: 1.2,
  };
}

/** Lists 2,000 chats, of which one has changed since the last time. */
export async function listClaim(data: string): Promise<Claim> {
  const folder = `${data}/chats`;
  for (let index = 0; index < 2000; index += 1) {
    writeChat(folder, `c${index}`, 2);
    writeFileSync(join(folder, "chat", `c${index}`, "chat.json"), JSON.stringify({ v: 1, key: `c${index}` }));
  }
  // What was written this moment is looked at again the next time.
  await sleep(300);
  const galley = await openQuietly(folder);
  const chat = await galley.chats.open("c0");
  const begun = clock();
  await galley.chats.list();
  const first = clock() - begun;
  const again: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    await chat.append([{ role: "user", content: freshText() }]);
    const start = clock();
    await galley.chats.list();
    again.push(clock() - start);
  }
  await galley.close();
  return {
    claim: "listing 2,000 chats, one of which has changed",
    against: "the first list of the process",
    peer: inMs(first),
    own: inMs(median(again)),
    ratio: median(again) / first,
    limit: 0.5,
  };
}
