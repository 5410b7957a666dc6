import { closeSync, mkdirSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { openChat } from "galley";
import { chatLine, inFolder } from "./chat-folder.ts";
import type { BenchReport } from "./claim.ts";
import { compare, inMs } from "./measure.ts";

const gigabyte = 1024 ** 3;
const windowMessages = 200;

/** The last 200 messages out of a context of 1 GB, beside one read of the same bytes. */
export function chatWindowReport(): Promise<BenchReport> {
  return inFolder(async (folder) => {
    const large = join(folder, "large");
    const small = join(folder, "small");
    writeContext(large, gigabyte);
    writeContext(small, 1024 ** 2);
    const limits = { maxMessages: windowMessages, maxCharacters: Number.MAX_SAFE_INTEGER };
    const chats = { large: await openChat(large, "demo"), small: await openChat(small, "demo") };
    const length = lastLinesLength(large);
    const handle = openSync(contextFile(large), "r");
    const { size } = statSync(contextFile(large));
    const readOnce = (): unknown[] => {
      const bytes = Buffer.allocUnsafe(length);
      readSync(handle, bytes, 0, length, size - length);
      const lines = bytes.toString().split("\n");
      lines.pop();
      return lines.map((line) => JSON.parse(line) as unknown);
    };
    if (readOnce().length !== windowMessages) throw new Error("The two sides do not read the same.");
    const read = await compare(readOnce, () => chats.large.window(limits), 400);
    const sizes = await compare(
      () => chats.small.window(limits),
      () => chats.large.window(limits),
      400,
    );
    closeSync(handle);
    return {
      notes: [
        `${windowMessages} messages (${(length / 1024).toFixed(0)} KB) out of ${(size / gigabyte).toFixed(2)} GB; medians of 400 rounds in turns.`,
      ],
      claims: [
        {
          claim: "the window of a 1 GB context",
          against: "one pread of the same bytes, parsed",
          peer: inMs(read.peer),
          own: inMs(read.own),
          ratio: read.ratio,
          limit: 2,
        },
        {
          claim: "the window of a 1 GB context",
          against: "the same window of a 1 MB context",
          peer: inMs(sizes.peer),
          own: inMs(sizes.own),
          ratio: sizes.ratio,
          limit: 1.5,
        },
      ],
    };
  });
}

function contextFile(data: string): string {
  return join(data, "chat/demo/contexts/active.jsonl");
}

function writeContext(data: string, size: number): void {
  mkdirSync(dirname(contextFile(data)), { recursive: true });
  const handle = openSync(contextFile(data), "w");
  const block = Buffer.from(Array.from({ length: 2000 }, (_, index) => chatLine(index)).join(""));
  for (let written = 0; written < size; written += block.length) writeSync(handle, block);
  closeSync(handle);
}

function lastLinesLength(data: string): number {
  const { size } = statSync(contextFile(data));
  const handle = openSync(contextFile(data), "r");
  const tail = Buffer.alloc(Math.min(size, 1024 ** 2));
  readSync(handle, tail, 0, tail.length, size - tail.length);
  closeSync(handle);
  let at = tail.length - 1;
  for (let count = 0; count < windowMessages; count += 1) at = tail.lastIndexOf(10, at - 1);
  return tail.length - at - 1;
}
