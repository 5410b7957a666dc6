import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { limitedBody } from "../limits/limited-body.ts";
import { openModels } from "./open-models.ts";
import { modelsSchema } from "../config/models-schema.ts";

const bodyOf = (...pieces: readonly string[]): Response =>
  new Response(ReadableStream.from(pieces).pipeThrough(new TextEncoderStream()), { status: 207 });

test("a body within its limits is the same, and so is its status", async () => {
  const response = limitedBody(bodyOf("ab\n", "cd\n"), { max: 6, maxLineLength: 3 });
  expect([response.status, await response.text()]).toEqual([207, "ab\ncd\n"]);
});

test.each([
  { name: "more than the most", pieces: ["abc", "def"], says: "more than 5 bytes" },
  { name: "a line that is too long", pieces: ["\na", "bc", "d"], says: "a line of more than 3 bytes" },
])("$name is not read any further", async ({ pieces, says }) => {
  const max = says.includes("line") ? 100 : 5;
  await expect(
    limitedBody(bodyOf(...pieces), { max, maxLineLength: says.includes("line") ? 3 : 100 }).text(),
  ).rejects.toThrow(says);
});

test.each([
  { name: "in one line", pieces: ["data: abc", "def"] },
  { name: "in many lines", pieces: ["\n\ndata\n", "data\n", "data\n"] },
])("an event that is too long $name is not read any further", async ({ pieces }) => {
  const limits = { max: Infinity, maxEventLength: 10 };
  await expect(limitedBody(bodyOf(...pieces), limits).text()).rejects.toThrow("an event of more than 10 bytes");
});

test.each([
  { name: "lines of one byte", pieces: ["data\n\ndata\n\n", "data\n", "\ndata\n\n"] },
  { name: "lines of two", pieces: ["data\r\n\r\ndata\r\n", "\r\ndata", "\r\n\r\n"] },
])("events go on as long as each is short ($name end them)", async ({ pieces }) => {
  const limits = { max: Infinity, maxEventLength: 10 };
  expect(await limitedBody(bodyOf(...pieces, ...pieces), limits).text()).toBe([...pieces, ...pieces].join(""));
});

test("of a body that is cut the beginning is left", async () => {
  expect(await limitedBody(bodyOf("abc", "def", "ghi"), { max: 5, isCut: true }).text()).toBe("abcde");
});

test("a server that lists models without end is read so far, and said", async () => {
  let isLeft = false;
  const server = createServer((_, response) => {
    response.on("close", () => (isLeft = true));
    const go = (): void => void response.write("x".repeat(65_536), () => response.destroyed || go());
    go();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const models = await openModels({
    config: { models: modelsSchema.parse({ providers: [{ name: "house", baseUrl }] }) },
    env: {},
  });
  const answer = (await models.check({ timeLimitMs: 120_000 })).find(({ provider }) => provider === "house");
  expect(answer).toMatchObject({ reached: false, why: expect.stringContaining("8388608 bytes") as string });
  await expect.poll(() => isLeft).toBe(true);
});
