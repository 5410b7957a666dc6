import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { GalleyError } from "@galley/engine";
import { generateText, streamText } from "ai";
import { afterAll, expect, test } from "vitest";
import { modelsSchema } from "../config/models-schema.ts";
import { startLlmServer } from "./testing/llm-server.ts";
import { openModels } from "./open-models.ts";

const closers: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

const configOf = (models: unknown) => ({ config: { models: modelsSchema.parse(models) } });
const key = "sk-a-very-secret-key-0001";

test("without any key there is demo, and every other model says what to set", async () => {
  const models = await openModels({ env: {} });
  const [first, ...others] = models.list();
  expect(first).toMatchObject({ id: "demo", usable: true, tokenizer: { exactness: "exact" } });
  expect(models.defaultId).toBe("demo");
  expect(others.find(({ id }) => id === "claude-sonnet-4-5")).toMatchObject({
    provider: "anthropic",
    usable: false,
    why: "Set ANTHROPIC_API_KEY, or enter the key by `galley provider add anthropic` or in Studio's settings.",
    contextWindow: 200_000,
    tokenizer: { name: "claude", exactness: "estimated" },
  });
  expect(others.find(({ id }) => id === "ollama/*")).toMatchObject({
    usable: true,
    why: "No key needed; the server at http://127.0.0.1:11434/v1 was not checked.",
  });
  const refused = (id: string): GalleyError => {
    try {
      models.resolve(id);
    } catch (error) {
      if (error instanceof GalleyError) return error;
    }
    throw new Error(`${id} was not refused`);
  };
  expect(refused("gpt-5")).toMatchObject({ code: "ModelUnavailable", path: "model" });
  expect(refused("gpt-5").hint).toContain("OPENAI_API_KEY");
  expect(refused("gemini-2.5-pro").hint).toContain("GOOGLE_GENERATIVE_AI_API_KEY");
  for (const id of ["gpt-5", "nobody/knows", "wat", "", "ollama/"]) {
    expect(refused(id)).toMatchObject({
      code: "ModelUnavailable",
      hint: expect.stringContaining("--model demo") as string,
    });
  }
  expect((await generateText({ model: models.resolve("demo").model, prompt: "hi" })).text).toContain("[demo]");
});

test.each([
  ["gpt-5", { OPENAI_API_KEY: key }, "openai", "openai-responses", "OPENAI_API_KEY is set."],
  ["o3-mini", { OPENAI_API_KEY: key }, "openai", "openai-responses", "OPENAI_API_KEY is set."],
  ["claude-sonnet-4-5", { ANTHROPIC_API_KEY: key }, "anthropic", "anthropic", "ANTHROPIC_API_KEY is set."],
  ["gemini-2.5-pro", { GEMINI_API_KEY: key }, "google", "gemini", "GEMINI_API_KEY is set."],
])("%s goes to its maker with the key of the environment", async (id, env, provider, wire, why) => {
  const models = await openModels({ env });
  expect(models.resolve(id)).toMatchObject({ id, provider, wire, info: { isKnown: true } });
  expect(models.list().find((model) => model.id === id)).toMatchObject({ usable: true, why });
  expect(models.redactor.redact(`it is ${key}`)).not.toContain(key);
});

test.each(["openai", "anthropic", "google", "openai-compatible"] as const)(
  "a server of the type %s is asked, streaming and not, with the key out of a variable",
  async (type) => {
    const server = await startLlmServer(({ userTexts }) => ({ text: `You said ${userTexts.at(-1)}` }));
    closers.push(() => server.close());
    const path = type === "google" ? "/v1beta" : "/v1";
    const providers = [{ name: "house", type, baseUrl: `${server.url}${path}`, apiKey: "${HOUSE_KEY}" }];
    const models = await openModels({ ...configOf({ providers, default: "house/tiny" }), env: { HOUSE_KEY: key } });
    const { model, tokenizer, providerOptions } = models.resolve(models.defaultId);
    const whole = await generateText({ model, prompt: "hello", ...(providerOptions ? { providerOptions } : {}) });
    expect(whole.text).toBe("You said hello");
    expect(await streamText({ model, prompt: "again" }).text).toBe("You said again");
    expect(server.unknown).toEqual([]);
    expect((await tokenizer()).count("one two")).toBeGreaterThan(1);
    expect(models.redactor.redact(key)).not.toContain(key);
  },
);

test("[P6] a server that repeats the key in its error does not get it into ours", async () => {
  const server = createServer((request, response) => {
    const sent = request.headers.authorization ?? request.headers["x-api-key"] ?? request.headers["x-goog-api-key"];
    const error = { message: `Incorrect API key provided: ${String(sent)}`, code: 401, status: "UNAUTHENTICATED" };
    response.writeHead(401, { "content-type": "application/json", "x-echo": String(sent) });
    response.end(JSON.stringify({ type: "error", error: { type: "authentication_error", ...error } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  for (const type of ["openai", "anthropic", "google", "openai-compatible"] as const) {
    const models = await openModels({
      ...configOf({ providers: [{ name: "house", type, baseUrl, apiKey: key }] }),
      env: {},
    });
    const { model } = models.resolve("house/tiny");
    const errors: unknown[] = [];
    await generateText({ model, prompt: "hello", maxRetries: 0 }).catch((error: unknown) => errors.push(error));
    const streamed = streamText({
      model,
      prompt: "hello",
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    await streamed.consumeStream();
    expect(errors).toHaveLength(2);
    for (const error of errors) {
      expect(error).toMatchObject({ statusCode: 401 });
      expect(allOf(error)).toContain("Incorrect API key");
      expect(allOf(error)).not.toContain(key);
    }
    const answer = (await models.check()).find(({ provider }) => provider === "house");
    expect(answer).toMatchObject({ reached: false, why: "It refused the key (HTTP 401)." });
    expect(JSON.stringify(models.list())).not.toContain(key);
  }
});

/** Everything that a careless log could print of an error. */
function allOf(error: unknown): string {
  const own = Object.getOwnPropertyNames(error).map((name) => (error as Record<string, unknown>)[name]);
  return `${String(error)} ${JSON.stringify(error)} ${JSON.stringify(own)}`;
}

test("figures beside a model count for its server; a variable that is missing is named", async () => {
  const providers = [
    { name: "house", baseUrl: "http://127.0.0.1:9/v1", models: ["qwen3", { id: "mine", window: 9000, output: 900 }] },
    { name: "away", baseUrl: "https://example.com/v1", apiKey: "${AWAY_KEY}" },
    { name: "nowhere" },
  ];
  const models = await openModels({ ...configOf({ providers }), env: {} });
  expect(models.resolve("house/mine").info).toMatchObject({ window: 9000, output: 900, isKnown: true });
  expect(models.resolve("mine")).toMatchObject({ provider: "house" });
  expect(models.resolve("house/other/deep").model.modelId).toBe("other/deep");
  const why = (id: string) => models.list().find((model) => model.id === id);
  expect(why("away/*")).toMatchObject({ usable: false, why: expect.stringContaining("AWAY_KEY") as string });
  expect(why("nowhere/*")).toMatchObject({
    usable: false,
    why: "Set baseUrl of the provider nowhere in galley.config.",
  });
});

test("a check tells servers that answer from those that do not", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/v1/models") response.end(JSON.stringify({ data: [{ id: "qwen3" }, { id: "tiny" }] }));
    else if (request.url === "/odd/models") response.end("<html>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const named = { house: `${url}/v1`, odd: `${url}/odd`, slow: `${url}/slow`, gone: "http://127.0.0.1:9/v1" };
  const providers = Object.entries(named).map(([name, baseUrl]) => ({ name, baseUrl }));
  const models = await openModels({ ...configOf({ providers }), env: {} });
  const limits: Readonly<Record<string, number>> = { house: 60_000, odd: 60_000, slow: 500, gone: 60_000 };
  const asked = Object.entries(limits).map(([provider, timeLimitMs]) => models.check({ provider, timeLimitMs }));
  const answers = (await Promise.all(asked)).flat();
  const answerOf = (name: string) => answers.find(({ provider }) => provider === name);
  expect(answerOf("house")).toMatchObject({ reached: true, models: ["qwen3", "tiny"] });
  expect(answerOf("odd")?.why).toBe("It answered with something that is not a list of models.");
  expect(answerOf("slow")?.why).toBe("It did not answer within 500 ms.");
  expect(answerOf("gone")).toMatchObject({ reached: false, models: [] });
});
