import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generateText, streamText } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { modelsSchema } from "../config/models-schema.ts";
import { demoModel } from "./demo-model.ts";
import { type ErrorRow, errorRows } from "./testing/model-error-bodies.ts";
import { openModels } from "./open-models.ts";
import { isOverflow, readModelError } from "./read-model-error.ts";

let url = "";
const server = createServer((request, response) => {
  const [, status = 500, body] = errorRows[Number(request.url?.split("/")[1])] ?? [];
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const modelAt = async (type: ErrorRow[0], baseUrl: string) => {
  const models = modelsSchema.parse({ providers: [{ name: "house", type, baseUrl, apiKey: "k" }] });
  return (await openModels({ config: { models }, env: {} })).resolve("house/tiny");
};

test.each(errorRows.map((row, index) => [index, ...row] as const))(
  "error %i of %s, HTTP %i, is told from the others through the SDK",
  async (index, kind, status, _body, code, retryable) => {
    const asked = await modelAt(kind, `${url}/${index}`);
    const { model } = asked;
    const caught: unknown[] = [];
    await generateText({ model, prompt: "hi", maxRetries: 0, maxOutputTokens: 9 }).catch((e: unknown) =>
      caught.push(e),
    );
    const onError = ({ error }: { error: unknown }): void => void caught.push(error);
    await streamText({ model, prompt: "hi", maxRetries: 0, maxOutputTokens: 9, onError }).consumeStream();
    expect(caught).toHaveLength(2);
    for (const error of caught) {
      expect(isOverflow(error)).toBe(code === "ContextOverflow");
      const ours = readModelError(error, asked);
      expect(ours).toMatchObject({ code, retryable, path: "model" });
      expect(ours.message).toContain(`HTTP ${status}`);
      expect(ours.hint).not.toBe("");
      expect(isOverflow(ours)).toBe(code === "ContextOverflow");
      expect(ours.message).not.toMatch(/[{}]/);
    }
  },
);

test("what a stream gives as an error in its middle is read too", () => {
  const asked = { id: "gpt-5", provider: "openai", kind: "openai" } as const;
  const event = {
    type: "error",
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model.",
  };
  expect(readModelError(event, asked)).toMatchObject({ code: "ContextOverflow" });
  expect(
    readModelError({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, asked),
  ).toMatchObject({
    code: "ModelFailed",
    retryable: true,
    message: "openai could not answer: Overloaded",
  });
  const failed = { type: "response.failed", response: { error: { code: "server_error", message: "Try again." } } };
  expect(readModelError(failed, asked)).toMatchObject({ code: "ModelFailed", retryable: true });
  expect(readModelError(undefined, asked)).toMatchObject({ code: "ModelFailed", retryable: false });
  expect(readModelError(new TypeError("x is not a function"), asked)).toMatchObject({
    code: "ModelFailed",
    retryable: false,
  });
});

test("a server that is not there can be asked again, and the hint asks whether it runs", async () => {
  const asked = await modelAt("openai-compatible", "http://127.0.0.1:9/v1");
  const error: unknown = await generateText({ model: asked.model, prompt: "hi", maxRetries: 0 }).catch(
    (e: unknown) => e,
  );
  expect(readModelError(error, asked)).toMatchObject({
    code: "ModelFailed",
    retryable: true,
    hint: "Is house running? `galley models --check` asks it.",
  });
});

test("the demo model's window is a window like any other", async () => {
  const model = demoModel({ windowTokens: 5 });
  const error: unknown = await generateText({ model, prompt: "one two three four five six" }).catch((e: unknown) => e);
  expect(isOverflow(error)).toBe(true);
});
