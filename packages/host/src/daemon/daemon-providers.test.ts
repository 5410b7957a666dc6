import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelListServer } from "../models/testing/model-list-server.ts";
import { type Answer, type TestDaemon, send, testDaemon, testFolder } from "./testing/temp-daemon.ts";
import { galley } from "../cli/testing/run-command.ts";

const key = "sk-entered-in-studio-0001";

/** What Studio does with the cookie of a browser. */
async function pageOf(own: TestDaemon) {
  const headers = { cookie: await own.login(), "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const answered: string[] = [];
  return {
    answered,
    async ask(method: string, path: string, body?: object): Promise<Answer & { readonly document: unknown }> {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await send(`${own.url}/api${path}`, { method, headers, ...sent });
      answered.push(answer.text);
      return { ...answer, document: JSON.parse(answer.text) as unknown };
    },
  };
}

const foreign = { baseUrl: "https://llm.example/v1", apiKey: key };

test("[P10] a page adds providers that everybody knows; any other address takes the code that the terminal prints", async () => {
  const told: string[] = [];
  const own = await testDaemon({ tell: (line) => told.push(line) });
  const page = await pageOf(own);
  const put = (body: object, name = "house") => page.ask("PUT", `/providers/${name}`, body);
  const added = { status: 200, document: { from: "added", hasKey: true } };
  expect(await put({ type: "anthropic", apiKey: key }, "anthropic")).toMatchObject(added);
  expect(await put({ baseUrl: "http://localhost:9999/v1", apiKey: key }, "near")).toMatchObject(added);
  expect(told).toEqual([]);
  // Names that only look like this machine, or like somebody known, are strangers too.
  for (const baseUrl of [
    "http://localhost.evil.example/v1",
    "https://api.openai.com.evil.example/v1",
    "http://10.0.0.1/v1",
  ]) {
    expect(await put({ baseUrl })).toMatchObject({
      status: 403,
      document: { code: "Forbidden", path: "code" },
    });
  }
  expect(told).toHaveLength(3);
  const refused = await put(foreign);
  expect(refused).toMatchObject({ status: 403, document: { code: "Forbidden", path: "code" } });
  // Asked again, the code stays the same; it holds for this address alone.
  await put(foreign);
  expect(told).toHaveLength(4);
  const code = /https:\/\/llm\.example\b.*: (\d{6})$/.exec(told.at(-1) ?? "")?.[1] ?? "";
  const wrong = code === "000000" ? "000001" : "000000";
  expect(await put({ ...foreign, code: wrong })).toMatchObject({ status: 403 });
  expect(await put({ baseUrl: "https://other.example/v1", code })).toMatchObject({ status: 403 });
  expect(await put({ ...foreign, code: ` ${code} ` })).toMatchObject(added);
  // It is used up, and needed no more for the same origin; a change of address needs another one, and the key again.
  expect(await put({ baseUrl: "https://llm.example/v2" })).toMatchObject(added);
  expect(await put({ baseUrl: "https://llm2.example/v1", code })).toMatchObject({ status: 403 });
  for (let n = 0; n < 5; n += 1) await put({ baseUrl: "https://guess.example/v1", code: "no" });
  const before = told.length;
  expect(await put({ baseUrl: "https://guess.example/v1" })).toMatchObject({ status: 403 });
  expect(told).toHaveLength(before + 1);
  // The key is in nothing that the page, the log or the data folder holds.
  await page.ask("GET", "/providers");
  await page.ask("GET", "/models");
  await page.ask("GET", "/info");
  const files = readdirSync(own.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1"));
  expect([...page.answered, ...texts, ...told].filter((text) => text.includes(key))).toEqual([]);
  expect(texts.filter((text) => text.includes(code))).toEqual([]);
});

test("[P10] without a terminal a page is sent to the command; the daemon's token needs no code", async () => {
  const own = await testDaemon();
  const page = await pageOf(own);
  const refused = await page.ask("PUT", "/providers/house", foreign);
  expect(refused).toMatchObject({
    status: 403,
    document: { hint: expect.stringContaining("galley provider add") },
  });
  const params = { name: "house" };
  const saved = await own.call("providers.save", { params, body: foreign });
  expect(saved).toMatchObject({ name: "house", hasKey: true });
  expect(await own.call("providers.delete", { params })).toEqual({ ok: true });
  expect((await own.call("providers.list")).providers.map(({ name }) => name)).not.toContain("house");
});

test.each(["through the daemon", "without one"])(
  "[P10] galley provider adds, checks, lists and removes, %s",
  async (how) => {
    const server = await modelListServer(["qwen3"]);
    const folder = testFolder();
    const own = how === "without one" ? undefined : await testDaemon();
    const data = own?.data ?? folder;
    const file = join(testFolder(), "key.txt");
    writeFileSync(file, `${key}\n`);
    const provider = async (...args: readonly string[]) => {
      const { code, out, err } = await galley(["provider", ...args, "--data", data]);
      return { code, out, err };
    };
    expect(await provider("add", "house", "--url", server.url, "--key", file)).toMatchObject({
      code: 0,
      out: `house at ${server.url}, with its key.\n`,
    });
    expect(await provider("check", "house")).toMatchObject({
      code: 0,
      out: expect.stringContaining("  house/qwen3\n"),
    });
    expect(server.heard.at(-1)?.authorization).toBe(`Bearer ${key}`);
    expect((await provider("list")).out).toMatch(/house +\S+ +added +yes +yes/);
    expect((await galley(["models", "house", "--data", data, "--json"])).out).toContain('"house/qwen3"');
    // What the command has added is there in the daemon, without a restart.
    const served = own ? (await own.call("models.list")).models.map(({ id }) => id) : ["house/qwen3"];
    expect(served).toContain("house/qwen3");
    expect(await provider("add", "house", "--url", "nowhere")).toMatchObject({
      code: 1,
      err: expect.stringContaining("The address must begin with https:// or http://."),
    });
    expect(await provider("remove", "house")).toMatchObject({ code: 0 });
    expect(await provider("remove", "house")).toMatchObject({ code: 1, err: expect.stringContaining("NotFound") });
  },
);
