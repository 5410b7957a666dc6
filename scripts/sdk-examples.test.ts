import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { startPostgres } from "../packages/host/testing/postgres-server.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { PATH = "", NODE_COMPILE_CACHE = "", GALLEY_POSTGRES } = process.env;

const twoMinutes = { timeout: 120_000 };

/** Without any key of the person who runs the tests: the examples must not spend their money. */
async function lines(file: string, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const options = { cwd: root, env: { PATH, NODE_COMPILE_CACHE, ...env } };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], options);
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

test.each(["ai-sdk", "openai-sdk", "anthropic-sdk"])(
  "examples/%s.ts runs offline, runs a tool and remembers",
  twoMinutes,
  async (name) => {
    const [first = "", called = "", second = "", ...more] = await lines(`examples/${name}.ts`);
    expect(more).toEqual([]);
    expect(first).toContain("You said “My name is Mira.”");
    expect(called).toContain("You said “Please call chat_context_list.”");
    expect(second).toContain("You said “What is my name?”");
    const sent = (line: string): number => Number(/sent (\d+) messages/.exec(line)?.[1]);
    // The exchange before, and the tool's call and result.
    expect([sent(called), sent(second)]).toEqual([sent(first) + 4, sent(first) + 4]);
  },
);

test.each(["ai-sdk", "openai-sdk", "anthropic-sdk", "postgres"])("examples/%s.ts is short", (name) => {
  expect(readFileSync(`${root}examples/${name}.ts`, "utf8").split("\n").length).toBeLessThanOrEqual(70);
});

test("examples/postgres.ts keeps its session in a real PostgreSQL, or says what it needs", twoMinutes, async () => {
  await expect(lines("examples/postgres.ts")).rejects.toThrow("Set GALLEY_POSTGRES");
  let url = GALLEY_POSTGRES;
  if (url === undefined) {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    url = await server.createDatabase();
  }
  const [first = "", one, second = "", two] = await lines("examples/postgres.ts", { GALLEY_POSTGRES: url });
  expect(first).toContain("[demo] You said: “My name is Mira.”");
  expect(second).toContain("[demo] You said: “What is my name?”");
  expect([one, two]).toEqual(["2 messages are in PostgreSQL", "4 messages are in PostgreSQL"]);
});
