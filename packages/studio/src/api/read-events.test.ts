import { expect, test } from "vitest";
import { readEvents } from "./read-events.ts";

async function read(...pieces: readonly Uint8Array<ArrayBuffer>[]): Promise<readonly string[]> {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const seen: string[] = [];
  for await (const { name, data } of readEvents(body)) seen.push(`${name} ${data}`);
  return seen;
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

test("events come whole however the bytes were cut", async () => {
  const whole = bytes(
    ': galley\n\nid: 1\ndata: {"a":"飞艇"}\n\nevent: problem\r\ndata: x\r\ndata: y\r\n\r\ndata:z\n\n',
  );
  const expected = ['message {"a":"飞艇"}', "problem x\ny", "message z"];
  expect(await read(whole)).toEqual(expected);
  for (let cut = 1; cut < whole.length; cut += 1) {
    expect(await read(whole.slice(0, cut), whole.slice(cut))).toEqual(expected);
  }
});

test("an event that was cut off is not given", async () => {
  expect(await read(bytes("data: 1\n\ndata: 2\n"))).toEqual(["message 1"]);
});
