import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { protocolModels } from "../src/galley/testing/temp-galley.ts";
import { daemonProcess, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { claimFault, isThorough } from "./claim-fault.ts";
import { until } from "./lied-to.ts";
import type { Asked } from "../src/models/testing/scripted-server.ts";
import { heldBySockets, lyingModel, pour, protocolNames } from "./lying-model.ts";
import { peakMemory } from "./peak-memory.ts";

const mebibyte = 1024 * 1024;
const flood = 400 * mebibyte;
/** What a flood adds to a daemon at most, in MiB. */
const room = 500;

interface Flood {
  readonly name: string;
  /** No more than this many MiB are read, in all tries together. */
  readonly max: number;
  /** How often Galley asks. */
  readonly tries?: number;
  readonly answer: (asked: Asked) => void | Promise<void>;
  readonly code?: string;
}

/** The events before the place where the words of the answer stand, and the event with them, as a head and a tail. */
function parted(
  { frames }: Asked,
  answer: Parameters<Asked["say"]>[0],
): readonly [before: string, head: string, tail: string] {
  const stream = frames(answer);
  const at = stream.findIndex((event) => event.includes("FLOOD"));
  const [head = "", tail = ""] = stream[at]?.replace('"finishReason":"STOP",', "").split("FLOOD") ?? [];
  return [stream.slice(0, at).join(""), head, tail];
}

const said = { text: "FLOOD" };
const called = { tool: { name: "note" }, input: { text: "FLOOD" } };
const kibibyte = "x".repeat(1024);
const piece = Buffer.alloc(64 * 1024, "x");

/** Event after event with a kibibyte each. */
const inEvents =
  (answer: typeof said | typeof called) =>
  async (given: Asked): Promise<void> => {
    const [before, head, tail] = parted(given, answer);
    given.begin().write(before);
    await pour(given, () => head + kibibyte + tail, flood);
  };

/** One event that does not end. */
const inOne =
  (answer: typeof said | typeof called) =>
  async (given: Asked): Promise<void> => {
    const [before, head] = parted(given, answer);
    given.begin().write(before + head);
    await pour(given, () => piece, flood);
    given.response.end('"}}]}\n\n');
  };

const floods: readonly Flood[] = [
  // Where the first event of a text is not one of its words, all that is sent counts as noise: 128 MiB then.
  { name: "a text of 400 MB in many events", max: 128, answer: inEvents(said) },
  { name: "a text of 400 MB in one event", max: 32, answer: inOne(said) },
  { name: "an argument of 400 MB in one event", max: 32, answer: inOne(called) },
  { name: "comments without end", max: 128, answer: (given) => pour(given, () => `: ${kibibyte}\n\n`, flood) },
  {
    name: "errors of 400 MB",
    max: 3,
    tries: 3,
    answer: async (given) => {
      given.response.writeHead(500, { "content-type": "application/json" });
      await pour(given, () => piece, flood);
      given.response.end();
    },
  },
];

test.for(floods)(
  "$name from a model: read so far and no further, and the daemon serves others",
  { timeout: 600_000 },
  async ({ answer, max, tries = 1, name }, { task }) => {
    // Each protocol has its turn, all of them have it when there is time.
    const place = floods.findIndex((flood) => flood.name === name) % protocolNames.length;
    const asked = isThorough ? protocolNames : protocolNames.slice(place, place + 1);
    claimFault(task, {
      area: "models",
      fault: "replies of 100 MB and more: text, arguments, comments, errors; in many events or in one",
      holds: `ModelFailed; reading stops at the stated limits (8 million characters, a line of 32 MiB, 128 MiB in all, 1 MiB of an error); the daemon's peak memory grows by less than ${room} MiB; other chats are answered meanwhile`,
      rounds: asked.length,
    });
    const model = await lyingModel(answer);
    const folder = testFolder();
    writeFileSync(join(folder, "galley.config.json"), JSON.stringify(model.config));
    const daemon = await daemonProcess({ args: ["--config", folder] });
    const ask = async (chat: string, id: string): Promise<object> => {
      const body = { chat, input: "Go.", model: id };
      const events = await daemon.events(
        "runs.start",
        { body },
        { isEnough: ({ type }) => /run:(?!started)/u.test(type) },
      );
      return events.at(-1)?.data ?? {};
    };
    expect(await ask("other", "demo")).toMatchObject({ type: "run:finished" });
    const before = peakMemory(daemon.child.pid) ?? 0;
    for (const protocol of asked) {
      const sent = model.sentBytes();
      const over = new AbortController();
      const flooded = ask(protocol, protocolModels[protocol]).finally(() => over.abort());
      let others = 0;
      do {
        expect(await ask("other", "demo")).toMatchObject({ type: "run:finished" });
        others += 1;
      } while (others < 5 && !over.signal.aborted);
      const error = { code: "ModelFailed", path: "model", hint: expect.stringMatching(/\w/u) as string };
      expect([protocol, await flooded]).toMatchObject([protocol, { type: "run:failed", error }]);
      expect(others).toBeGreaterThan(0);
      await until(() => model.sentBytes() > sent);
      expect((model.sentBytes() - sent) / mebibyte).toBeLessThan(max + tries * heldBySockets);
      const { messages } = await daemon.call("chats.transcript", { params: { key: protocol } });
      expect(messages.map(({ content }) => content)).toEqual(["Go."]);
    }
    await until(() => model.hungUp() === model.bodies.length);
    const grown = (peakMemory(daemon.child.pid) ?? 0) - before;

    expect(grown).toBeLessThan(room);
    expect(await daemon.end("SIGTERM")).toBe(0);
  },
);
