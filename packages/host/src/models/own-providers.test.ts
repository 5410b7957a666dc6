import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateText } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { modelsSchema } from "../config/models-schema.ts";
import { userFile } from "../disk/user-file.ts";
import type { Models } from "./models.ts";
import { openModels } from "./open-models.ts";
import { ownProviders } from "./own-providers.ts";
import { modelListServer } from "./testing/model-list-server.ts";

const key = "sk-entered-by-a-person-0001";

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-providers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "data"));
  return join(folder, "data");
}

function modelsIn(data: string, options: Parameters<typeof openModels>[0] = {}): Promise<Models> {
  return openModels({ env: {}, own: ownProviders(data), ...options });
}

const compatible = "openai-compatible" as const;

test("[P10] a provider that a person adds works at once and later; its key lies in the user's own folder alone", async () => {
  const data = dataFolder();
  const server = await modelListServer(["qwen3", "gemma"]);
  const told: string[] = [];
  const models = await modelsIn(data, { onChange: (name) => told.push(name) });
  const saved = await models.saveProvider({ name: "house", type: compatible, baseUrl: `${server.url}/`, apiKey: key });
  expect(saved).toMatchObject({ name: "house", baseUrl: server.url, from: "added", hasKey: true, usable: true });
  expect(JSON.stringify([models.providers(), models.list()])).not.toContain(key);
  expect(models.redactor.redact(`the key is ${key}`)).not.toContain(key);
  expect(await models.check({ provider: "House" })).toMatchObject([{ reached: true, models: ["qwen3", "gemma"] }]);
  expect(server.heard.at(-1)?.authorization).toBe(`Bearer ${key}`);
  expect(told).toEqual(["house", "house"]);
  const later = await modelsIn(data);
  for (const each of [models, later]) {
    const ids = each.list().flatMap(({ id, provider }) => (provider === "house" ? [id] : []));
    expect(ids).toEqual(["house/qwen3", "house/gemma"]);
  }
  expect(later.resolve("house/qwen3")).toMatchObject({ provider: "house", kind: compatible });
  const kept = userFile("providers", data);
  const file = "file" in kept ? kept.file : "";
  expect(readFileSync(file, "utf8")).toContain(key);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(data)).toEqual([]);
  // A copy of the folder brings no key along.
  const copy = dataFolder();
  cpSync(data, copy, { recursive: true });
  expect((await modelsIn(copy)).providers().some(({ name }) => name === "house")).toBe(false);
  await later.removeProvider("house");
  expect(readFileSync(file, "utf8")).not.toContain(key);
  await expect(later.removeProvider("house")).rejects.toMatchObject({ code: "NotFound", path: "name" });
});

test("[P10] a key is sent to the origin that it was entered for, and nowhere else", async () => {
  const models = await modelsIn(dataFolder(), { env: { OPENAI_API_KEY: "sk-of-the-environment-0002" } });
  const elsewhere = await modelListServer(["stolen"]);
  const server = await modelListServer([], elsewhere.url);
  await models.saveProvider({ name: "house", type: compatible, baseUrl: server.url, apiKey: key });
  expect(await models.check({ provider: "house" })).toMatchObject([
    { reached: false, why: expect.stringContaining("307") },
  ]);
  const asked = generateText({ model: models.resolve("house/x").model, prompt: "hi", maxRetries: 0 });
  await expect(asked).rejects.toMatchObject({ statusCode: 307 });
  expect(server.heard).toHaveLength(2);
  expect(elsewhere.heard).toEqual([]);
  // Another address has to be given the key again; another path of the same origin has not.
  await models.saveProvider({ name: "house", type: compatible, baseUrl: `${server.url}/more` });
  expect(models.providers()[0]).toMatchObject({ hasKey: true });
  await models.saveProvider({ name: "house", type: compatible, baseUrl: elsewhere.url });
  expect(models.providers()[0]).toMatchObject({ hasKey: false });
  await models.check({ provider: "house" });
  expect(elsewhere.heard.map(({ authorization }) => authorization)).toEqual([undefined]);
  // Neither a variable that is named nor the key of the real OpenAI goes to an address that somebody entered.
  await models.saveProvider({ name: "openai", type: "openai", baseUrl: elsewhere.url, apiKey: "${OPENAI_API_KEY}" });
  await models.check({ provider: "openai" });
  expect(elsewhere.heard.at(-1)?.authorization).toBe("Bearer ${OPENAI_API_KEY}");
});

test("[P10] galley.config wins; what cannot be a provider is refused with its path, and nothing is kept", async () => {
  const data = dataFolder();
  const config = { models: modelsSchema.parse({ providers: [{ name: "house", baseUrl: "http://127.0.0.1:9/v1" }] }) };
  const models = await modelsIn(data, { config });
  const provider = { name: "mine", type: compatible, baseUrl: "https://llm.example/v1" };
  const refusals = [
    [{ name: "HOUSE" }, "EditNotAllowed", "name"],
    [{ name: "demo" }, "BadRequest", "name"],
    [{ name: "a/b" }, "BadRequest", "name"],
    [{ baseUrl: undefined }, "BadRequest", "baseUrl"],
    [{ baseUrl: "file:///etc/passwd" }, "BadRequest", "baseUrl"],
    [{ baseUrl: "not an address" }, "BadRequest", "baseUrl"],
    [{ baseUrl: "https://me:secret@llm.example" }, "BadRequest", "baseUrl"],
    [{ baseUrl: "https://llm.example/v1?key=1" }, "BadRequest", "baseUrl"],
    [{ name: "anthropic", type: "anthropic", baseUrl: undefined }, "BadRequest", "apiKey"],
  ] as const;
  for (const [part, code, path] of refusals) {
    await expect(models.saveProvider({ ...provider, ...part })).rejects.toMatchObject({ code, path });
  }
  expect(ownProviders(data).read()).toEqual([]);
  await expect(models.check({ provider: "nobody" })).rejects.toMatchObject({ code: "NotFound" });
  await expect(models.check({ provider: "anthropic" })).rejects.toMatchObject({ code: "ModelUnavailable" });
  await expect((await openModels({ env: {} })).saveProvider(provider)).rejects.toMatchObject({
    code: "EditNotAllowed",
  });
  // One that was added before it was declared is covered by the declaration.
  await models.saveProvider({ ...provider, apiKey: key });
  const declared = { models: modelsSchema.parse({ providers: [{ name: "mine", baseUrl: "http://127.0.0.1:9/v1" }] }) };
  const [first] = (await modelsIn(data, { config: declared })).providers();
  expect(first).toMatchObject({ name: "mine", from: "galley.config", hasKey: false });
});

test("[P10] of what a server says it has, no more is kept than a person could read", async () => {
  const odd = ["\u001b]0;pwn\u0007x", "a\nb", "a".repeat(201), "", "qwen3", "qwen3"];
  const server = await modelListServer([...odd, ...Array.from({ length: 100_000 }, (_, index) => `m${index}`)]);
  const models = await modelsIn(dataFolder());
  await models.saveProvider({ name: "house", type: compatible, baseUrl: server.url });
  const [answer] = await models.check({ provider: "house", timeLimitMs: 60_000 });
  expect(answer).toMatchObject({ reached: true, why: "It answers and has 5000 models." });
  expect(answer?.models.slice(0, 2)).toEqual(["qwen3", "m0"]);
  const before = process.cpuUsage().user;
  expect(models.list().filter(({ provider }) => provider === "house")).toHaveLength(5000);
  // A look at all others for each of them would take seconds.
  expect((process.cpuUsage().user - before) / 1000).toBeLessThan(1000);
});

test("[P10] a name that every object has is a name like any other", async () => {
  const models = await modelsIn(dataFolder());
  for (const name of ["constructor", "toString", "valueOf"]) {
    await expect(models.saveProvider({ name, type: compatible })).rejects.toMatchObject({
      code: "BadRequest",
      path: "baseUrl",
    });
    expect(await models.saveProvider({ name, type: compatible, baseUrl: "http://127.0.0.1:9/v1" })).toMatchObject({
      name,
    });
  }
});
