import { expect, test } from "vitest";
import { parseDocument } from "./read-arguments.ts";

const nested = (levels: number): string => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;

test("documents are read up to a depth that recursion can bear", async () => {
  expect(await parseDocument('{"a":[1,{"b":null}]}')).toEqual({ a: [1, { b: null }] });
  expect(await parseDocument(nested(200))).toBeDefined();
  for (const levels of [204, 4000, 400_000]) {
    await expect(parseDocument(nested(levels))).rejects.toMatchObject({ code: "BadRequest" });
  }
  await expect(parseDocument("{")).rejects.toMatchObject({ code: "InvalidJson" });
});

test("[P6] a single text is taken up to its limit, and what pictures and files are sent in beyond it", async () => {
  const said = "x".repeat(4_000_001);
  const messages = (part: object): string => JSON.stringify({ messages: [{ role: "user", content: [part] }] });
  await expect(parseDocument(messages({ type: "text", text: said }))).rejects.toMatchObject({
    code: "RequestTooLarge",
    path: "body.messages.0.content.0.text",
  });
  expect(await parseDocument(messages({ type: "text", text: said.slice(1) }))).toBeDefined();
  expect(await parseDocument(messages({ type: "file", data: said, mediaType: "text/plain" }))).toBeDefined();
});
