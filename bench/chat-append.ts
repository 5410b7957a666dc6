import { closeSync, fsync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { openChat } from "galley";
import { chatLine, inFolder } from "./chat-folder.ts";
import type { BenchReport } from "./claim.ts";
import { inMs, interleave, median } from "./measure.ts";

const fsyncLater = promisify(fsync);
const writers = 16;
const perWriter = 5;

/** A durable message in transcript and active context, beside two writes with two fsyncs. */
export function chatAppendReport(): Promise<BenchReport> {
  return inFolder(async (folder) => {
    const chat = await openChat(join(folder, "ship"), "demo");
    const crowded = await openChat(join(folder, "ship"), "crowded");
    const files = ["transcript", "active"].map((name) => openSync(join(folder, name), "a"));
    const others = ["transcript-2", "active-2"].map((name) => openSync(join(folder, name), "a"));
    const times = await interleave(
      { rounds: 300, warmUp: 20, prepare: (round) => ({ line: chatLine(round + 20), ...message(round + 20) }) },
      {
        twoFsyncs: ({ line }) => {
          for (const file of files) {
            writeSync(file, line);
            fsyncSync(file);
          }
        },
        sideBySide: async ({ line }) => {
          for (const file of others) writeSync(file, line);
          await Promise.all(others.map((file) => fsyncLater(file)));
        },
        append: ({ role, content }) => chat.append([{ role, content }]),
        together: async ({ role, content }) => {
          const write = async (): Promise<void> => {
            for (let count = 0; count < perWriter; count += 1) await crowded.append([{ role, content }]);
          };
          await Promise.all(Array.from({ length: writers }, write));
        },
      },
    );
    for (const file of [...files, ...others]) closeSync(file);
    await chat.close();
    await crowded.close();
    return reportOf(times);
  });
}

function reportOf(times: Readonly<Record<"twoFsyncs" | "sideBySide" | "append" | "together", number[]>>): BenchReport {
  const [peer, own, together] = [median(times.twoFsyncs), median(times.append), median(times.together)];
  const best = median(times.sideBySide);
  const each = together / (writers * perWriter);
  return {
    notes: [
      "The same bytes on the same disk, in turns; medians of 300 rounds.",
      "Galley's two fsyncs run side by side and share a commit of the file system's journal. On a disk that others keep busy, two in a row wait twice, so that the first and last ratio flatter Galley there; the second one does not.",
    ],
    claims: [
      {
        claim: "a durable message, transcript and active context",
        against: "two writes and two fsyncs, nothing else",
        peer: inMs(peer),
        own: inMs(own),
        ratio: own / peer,
        limit: 1.3,
      },
      {
        claim: "a durable message, transcript and active context",
        against: "two writes and two fsyncs side by side",
        peer: inMs(best),
        own: inMs(own),
        ratio: own / best,
      },
      {
        claim: `messages per second of ${writers} writers in one process`,
        against: "two writes and two fsyncs for each",
        peer: `${(1000 / peer).toFixed(0)} /s`,
        own: `${(1000 / each).toFixed(0)} /s`,
        ratio: peer / each,
        least: 5,
      },
    ],
  };
}

function message(index: number): { readonly role: "user" | "assistant"; readonly content: string } {
  const { role, content } = JSON.parse(chatLine(index)) as { role: "user" | "assistant"; content: string };
  return { role, content };
}
