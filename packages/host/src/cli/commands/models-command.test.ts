import { expect, test } from "vitest";
import { example, file, folder, galley } from "../testing/run-command.ts";

test("[F4] galley models lists what a pattern names, with window, price, tokenizer and rule for pictures", async () => {
  const { code, out } = await galley(["models", "gpt-5"]);
  expect(code).toBe(0);
  expect(out).toMatch(/gpt-5 +400,000 +128,000 +1\.25 +10 +0\.125 +exact \(o200k_base\) +70 \+ 140 a tile/);
  const claude = await galley(["models", "claude-*", "--json"]);
  const { source, models } = JSON.parse(claude.out) as {
    source: string;
    models: { name: string; tokenizer: string }[];
  };
  expect(source).toContain("2026");
  expect(models.length).toBeGreaterThan(5);
  for (const { name, tokenizer } of models)
    expect([name, tokenizer].every((text) => text.startsWith("claude"))).toBe(true);
});

test("[F4] an unknown name is an error that names what is near, unless own figures know it", async () => {
  const { code, err, out } = await galley(["models", "claude-opsu-4-5"]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("claude-opus-4-5");
  const own = file("models.json", { "house-model": { window: 9000, output: 1000, tokenizer: "qwen" } });
  expect((await galley(["models", "house-model", "--catalogue", own])).out).toMatch(/house-model +9,000 +1,000/);
  const bad = await galley(["models", "--catalogue", file("bad.json", { a: { window: "many" } }), "--json"]);
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.err)).toMatchObject({ error: { code: "ContextInvalidInput", path: "a.window" } });
});

test("[F5] without --budget a known model's window counts, without room for the reply, and the output says so", async () => {
  const session = ["--session", example("session.jsonl")];
  const budgetOf = async (...flags: string[]): Promise<unknown> =>
    (JSON.parse((await galley(["build", ...session, ...flags, "--json"])).out) as { budget: unknown }).budget;
  expect(await budgetOf("--model", "gpt-5")).toEqual({
    from: "model",
    tokens: 300_000,
    reserve: 100_000,
    model: "gpt-5",
  });
  expect(await budgetOf("--model", "gpt-5", "--reserve", "1000")).toMatchObject({ tokens: 399_000, reserve: 1000 });
  expect(await budgetOf("--model", "gpt-5", "--budget", "8000")).toEqual({ from: "flag", tokens: 8000 });
  expect(await budgetOf()).toEqual({ from: "nothing" });
  const explained = await galley(["explain", ...session, "--model", "gpt-5"]);
  expect(explained.out).toContain("of 300,000 (the window of gpt-5, with 100,000 kept for the reply)");
  const unknown = await galley(["explain", ...session, "--model", "gtp-5"]);
  expect(unknown.err).toContain("Nothing is known about the model gtp-5");
});

test("galley models says what can be used, and what to set for the rest; no key is ever shown", async () => {
  const text = await galley(["models", "--usable"]);
  expect(text.out).toMatch(/^demo +32,768 .* yes$/mu);
  expect(text.out).toContain("used when none is named: demo");

  const key = "sk-only-for-this-test-0001";
  const models = {
    default: "house/qwen3",
    providers: [
      { name: "house", baseUrl: "http://127.0.0.1:9/v1", apiKey: key, models: ["qwen3"] },
      { name: "anthropic", type: "anthropic", apiKey: "${A_VARIABLE_THAT_IS_NOT_SET}" },
    ],
  };
  file("galley.config.json", { models });
  const own = await galley(["models", "--config", folder, "--json"]);
  const { models: listed, ...rest } = JSON.parse(own.out) as {
    models: { name: string; usable: boolean; why: string }[];
  };
  expect(rest).toMatchObject({ default: "house/qwen3" });
  const named = (name: string) => listed.find((model) => model.name === name);
  expect(named("house/qwen3")).toMatchObject({ usable: true, why: "Its key is in galley.config." });
  expect(named("claude-sonnet-4-5")).toMatchObject({
    usable: false,
    why: expect.stringContaining("A_VARIABLE_THAT_IS_NOT_SET") as string,
  });
  expect(named("aion-2.0")).toMatchObject({ usable: false, why: expect.stringContaining("declare one") as string });

  const checked = await galley(["models", "house", "--config", folder, "--check", "--time-limit", "60000"]);
  expect(checked.code).toBe(0);
  expect(checked.out).toMatch(/house +no +http:\/\/127\.0\.0\.1:9\/v1\/models: It could not be reached/u);
  expect(own.out + own.err + checked.out + checked.err).not.toContain(key);
});
