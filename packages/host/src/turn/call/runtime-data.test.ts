import { readFileSync } from "node:fs";
import { chatPaths } from "../../chat/lines/chat-paths.ts";
import type { ModelMessage } from "@galley/engine";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Galley } from "../../galley/galley.ts";
import { dataFolder, galleyIn } from "../../galley/testing/temp-galley.ts";
import type { TurnPlace } from "../services/turn-types.ts";

const day = 24 * 60 * 60 * 1000;
const noon = Date.UTC(2026, 10, 17, 12);

async function say(galley: Galley, place: TurnPlace, now: number): Promise<readonly ModelMessage[]> {
  const turn = await galley.turn({
    ...place,
    model: "demo",
    input: "hello",
    now,
    context: { runtimeData: "environment" },
  });
  await turn.commit({ assistant: "hi" });
  return turn.messages;
}

const beginning = (messages: readonly ModelMessage[], start: string): readonly string[] =>
  messages.flatMap(({ content }) => (typeof content === "string" && content.startsWith(start) ? [content] : []));

test.each<[string, TurnPlace]>([
  ["a chat", { chat: "demo" }],
  ["a session", { session: "log" }],
])("[T5] in %s the environment is recorded once, and today's date is a hint", async (_, place) => {
  const galley = await galleyIn();
  const [first] = beginning(await say(galley, place, noon), "Environment of this session:");
  expect(first).toContain(`workingFolder: ${process.cwd()}`);
  expect(first).toMatch(/sandbox: .+\nsessionBegan: 2026-11-17\nsystem: \w+ /);
  const later = await say(galley, place, noon + 3 * day);
  expect(beginning(later, "Environment of this session:")).toEqual([first]);
  expect(beginning(later, "At this moment:")).toEqual(["At this moment:\ntoday: 2026-11-20"]);
  expect(beginning(await say(await galleyIn(), place, noon), "At this moment:")[0]).toContain("2026-11-17");
});

test("[T5] it goes into the archive and back, and where the folder is another one, a hint says so", async () => {
  const data = dataFolder();
  const galley = await galleyIn(data);
  const place = { chat: "demo" };
  const [first] = beginning(await say(galley, place, noon), "Environment");
  const chat = await galley.chats.open("demo");
  await chat.newContext({ title: "Harbour" });
  vi.spyOn(process, "cwd").mockReturnValue("/elsewhere");
  onTestFinished(() => void vi.restoreAllMocks());
  const [second] = beginning(await say(galley, place, noon + day), "Environment");
  expect(second).toContain("workingFolder: /elsewhere");
  await chat.loadContext({ query: "harbour" });
  const messages = await say(galley, place, noon + 2 * day);
  expect(beginning(messages, "Environment")).toEqual([first]);
  expect(beginning(messages, "At this moment:")).toEqual([
    "At this moment:\ntoday: 2026-11-19\nworkingFolder: /elsewhere",
  ]);
  const lines = readFileSync(chatPaths(chat.folder).active, "utf8").split("\n");
  expect(lines.filter((line) => line.includes('"type":"runtime-init"'))).toHaveLength(1);
});

test("[T5] hints and a provider of the configuration reach every turn; hints win, and a provider that fails is said", async () => {
  let given: () => Promise<Record<string, string>> = async () => ({ mood: "calm", sea: "low" });
  const galley = await galleyIn(dataFolder(), {
    config: { context: { hints: { sea: "high" } }, runtimeHintProvider: () => given() },
  });
  const build = async (place: TurnPlace) => {
    const turn = await galley.turn({ ...place, model: "demo", input: "hello" });
    await turn.abort();
    return turn;
  };
  for (const place of [{ chat: "demo" }, { session: "log" }]) {
    expect(beginning((await build(place)).messages, "At this")).toEqual(["At this moment:\nmood: calm\nsea: high"]);
  }
  given = async () => {
    throw new Error("no weather today");
  };
  const { messages, problems } = await build({ chat: "demo" });
  expect(beginning(messages, "At this")).toEqual(["At this moment:\nsea: high"]);
  expect(problems).toMatchObject([{ code: "ProviderFailed", message: expect.stringContaining("no weather today") }]);
});
