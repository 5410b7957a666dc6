import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { textsOf } from "../src/galley/testing/temp-galley.ts";
import { claimFault, isThorough } from "./claim-fault.ts";
import { liedTo, modelFailed, until } from "./lied-to.ts";
import type { Asked } from "../src/models/testing/scripted-server.ts";
import { protocolNames } from "./lying-model.ts";

const area = "models";
const cuts = isThorough ? 60 : 5;
const call = { tool: { name: "note" }, input: { text: "a cup of tea" } };
const text = "The whole of it, to the last word.";

describe.each(protocolNames)("half a stream of %s", (protocol) => {
  test.for(["its end", "the socket's"])(
    "ended by %s is neither a reply nor a call",
    { timeout: 600_000 },
    async (how, { task }) => {
      claimFault(task, {
        area,
        fault: "half a stream: a text or a call cut at any byte, ended in good order or with the socket",
        holds:
          "ModelFailed with a hint, or the whole reply; no tool runs; the next message is answered, and every request is valid",
        rounds: cuts * 2,
      });
      let cut = 0;
      let answer: Parameters<Asked["say"]>[0] = { text };
      const { ask, checkRest, noted, galley, model } = await liedTo(({ frames, begin, n }) => {
        const whole = Buffer.from(frames(n % 2 === 0 ? answer : { text }).join(""));
        const response = begin();
        if (n > 0) return void response.end(whole);
        const half = whole.subarray(0, Math.floor(whole.length * cut));
        response.write(half, () => (how === "its end" ? response.end() : response.destroy()));
      });
      for (const given of [{ text }, call]) {
        answer = given;
        for (let round = 0; round < cuts; round += 1) {
          // From just behind the headers to just before the last byte.
          cut = round / cuts;
          const chat = `${"text" in given ? "text" : "call"} ${round}`;
          const outcome = await ask(protocol, chat, "Go.");
          const isWhole = "finish" in outcome;
          expect([chat, outcome]).toEqual([
            chat,
            expect.objectContaining(isWhole ? { finish: "stop", text } : modelFailed),
          ]);
          // A connection that breaks before its headers is tried again, and then the model is honest.
          expect(noted.splice(0).length).toBe(model.bodies.some((body) => body.includes("noted")) ? 1 : 0);
          await checkRest(protocol, chat);
          const said = isWhole ? ["Go.", text] : ["Go."];
          expect(await textsOf(galley, chat, "transcript")).toEqual([...said, "And now?", "Honestly."]);
        }
      }
    },
  );
});

const drip = ({ begin, frames, protocol }: Asked): void => {
  const response = begin();
  const [head = "", ...rest] = frames({ text: "drop " });
  if (protocol.name !== "gemini") response.write(head);
  const next = protocol.name === "gemini" ? head.replace('"finishReason":"STOP",', "") : rest.slice(0, 1).join("");
  const timer = setInterval(() => response.write(next), 40);
  response.on("close", () => clearInterval(timer));
};

const slow: readonly (readonly [name: string, lie: (asked: Asked) => void])[] = [
  ["nothing at all", () => undefined],
  ["nothing behind its headers", ({ begin }) => begin().flushHeaders()],
  [
    "comments for ever",
    ({ begin }) => {
      const response = begin();
      const timer = setInterval(() => response.write(": still there\n\n"), 40);
      response.on("close", () => clearInterval(timer));
    },
  ],
  ["a drop now and then", drip],
];

test.for(slow)("a model that sends %s holds a run no longer than its time", async ([, lie], { task }) => {
  claimFault(task, {
    area,
    fault: "silence: no answer, no word behind the headers, keep-alives for ever, a word now and then for ever",
    holds: "the run ends when its time is over and says so; the connection is closed; the next message is answered",
    rounds: protocolNames.length,
  });
  const { ask, checkRest, model } = await liedTo(lie);
  const outcomes = await Promise.all(protocolNames.map((name) => ask(name, name, "Go.", { maxMilliseconds: 5000 })));
  const limit = { finish: "limit", text: expect.stringContaining("ended by a limit") as string };
  expect(outcomes).toEqual(protocolNames.map(() => expect.objectContaining(limit) as object));
  await until(() => model.hungUp() === protocolNames.length);
  model.bodies.length = 0;
  for (const name of protocolNames) await checkRest(name, name);
});

const garbled: readonly (readonly [name: string, lie: (asked: Asked) => void])[] = [
  [
    "an event that is half a JSON",
    ({ begin, frames }) => begin().end(frames({ text }).toSpliced(0, 0, 'data: {"half": \n\n').join("")),
  ],
  ["events of another shape", ({ begin }) => begin().end('data: {"foo": 1}\n\ndata: 5\n\ndata: null\n\ndata: []\n\n')],
  [
    "a page of a login",
    ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<html>Log in</html>"),
  ],
  [
    "bytes that are not text",
    ({ begin }) => begin().end(Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256))),
  ],
  ["nothing, and ends", ({ begin }) => begin().end()],
  [
    "an event that is an error",
    ({ begin }) =>
      begin().end('data: {"type":"error","error":{"message":"boom","type":"server_error","code":500}}\n\n'),
  ],
  ["counts that are words", ({ begin, frames }) => begin().end(withCounts(frames({ text }).join(""), '"NaN"'))],
];

test.for(garbled)("a model that sends %s has not replied", async ([, lie], { task }) => {
  claimFault(task, {
    area,
    fault: "garbled streams: invalid JSON, another shape, a web page, bytes, nothing, errors inside a stream",
    holds: "ModelFailed with a hint; nothing of it is kept; the next message is answered, and every request is valid",
    rounds: protocolNames.length,
  });
  const { ask, checkRest, galley } = await liedTo(lie);
  for (const name of protocolNames) {
    expect([name, await ask(name, name, "Go.")]).toEqual([name, expect.objectContaining(modelFailed)]);
    await checkRest(name, name);
    expect(await textsOf(galley, name, "transcript")).toEqual(["Go.", "And now?", "Honestly."]);
  }
});

const json = { "content-type": "application/json" };
const refusing: readonly (readonly [name: string, lie: (asked: Asked) => void, max: number])[] = [
  ["500 to everything", ({ response }) => response.writeHead(500, json).end('{"error":{"message":"down"}}'), 3],
  [
    "429 and to come back tomorrow",
    ({ response }) => response.writeHead(429, { ...json, "retry-after": "86400" }).end("{}"),
    3,
  ],
  [
    "where else to ask, in a circle",
    ({ response }) => response.writeHead(307, { location: response.req.url ?? "" }).end(),
    66,
  ],
];

test.for(refusing)("a model that answers %s is given up soon", { timeout: 120_000 }, async ([, lie, max], { task }) => {
  claimFault(task, {
    area,
    fault: "HTTP 500, 429 with Retry-After of a day, redirects in a circle",
    holds: "tried twice more within seconds, then ModelFailed that may be tried again; the next message is answered",
    rounds: protocolNames.length,
  });
  await Promise.all(
    protocolNames.map(async (name) => {
      const { ask, checkRest, model } = await liedTo(lie);
      expect(await ask(name, "a", "Go.")).toMatchObject({ ...modelFailed, retryable: true });
      expect(model.bodies.length).toBeLessThanOrEqual(max);
      model.bodies.length = 0;
      await checkRest(name, "a");
    }),
  );
});

test("a model that wants to be asked on for ever is asked so often and no more", async ({ task }) => {
  claimFault(task, {
    area,
    fault: "a reply that is to be continued for ever (Gemini's continuation)",
    holds: "ModelFailed after 30 requests; the next message is answered",
    rounds: 1,
  });
  const { ask, checkRest, model } = await liedTo(({ begin, frames }) => {
    const more = '"finishReason":"CONTINUATION","continuationToken":"more"';
    begin().end(frames({ text: "and " }).join("").replace('"finishReason":"STOP"', more));
  });
  expect(await ask("gemini", "a", "Go.")).toMatchObject(modelFailed);
  expect(model.bodies).toHaveLength(30);
  model.bodies.length = 0;
  await checkRest("gemini", "a");
});

const counts = ["-5", "1e308", "0.5", "9007199254740993", "123456789012345"];

test.for(protocolNames)("counts of %s that cannot be change no estimate and no sum", async (protocol, { task }) => {
  claimFault(task, {
    area,
    fault: "usage that is negative, a fraction, or larger than any window",
    holds: "the reply counts, its usage is 0; sums stay whole numbers; nothing is learned from it for estimates",
    rounds: counts.length,
  });
  let count = "";
  const { ask, checkRest, galley, data } = await liedTo(({ begin, frames, n }) => {
    const answer = n % 2 === 0 ? call : { text };
    begin().end(withCounts(frames(answer).join(""), count));
  });
  for (count of counts) {
    const outcome = await ask(protocol, count, `Go on. ${"A word about tea. ".repeat(300)}`);
    const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
    expect([count, outcome]).toEqual([count, { finish: "stop", text, usage }]);
    await checkRest(protocol, count);
  }
  await galley.close();
  // The honest answers say 10, for thousands of tokens: that is not believed either.
  const file = join(data, "calibration.json");
  expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe("");
});

/** The same stream with another figure wherever there is a count of tokens. */
function withCounts(stream: string, count: string): string {
  const names =
    "prompt_tokens|completion_tokens|total_tokens|input_tokens|output_tokens|promptTokenCount|candidatesTokenCount|totalTokenCount";
  return stream.replaceAll(new RegExp(`("(?:${names})":)\\d+`, "gu"), `$1${count}`);
}
