import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../../model/entries.ts";
import type { LogSummary } from "./log-types.ts";
import { detectLog, logDetector } from "./formats.ts";
import { readLog } from "./read-log.ts";

const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

function read(text: string): LogSummary & { readonly log: readonly SessionEntry[] } {
  const log = readLog({ name: "file" });
  const { entries } = log.push(text);
  const end = log.end();
  return { ...end, log: [...entries, ...end.entries].map(({ entry }) => entry) };
}

const reply = (id: string | undefined, text: string): object => ({
  id,
  role: "assistant",
  content: [{ type: "text", text }],
  usage: { input_tokens: 5, output_tokens: 2 },
});

describe("[L1] Claude Code, in forms that are not common", () => {
  const claude = (uuid: string, parentUuid: string | null, type: string, message: object): object => ({
    type,
    uuid,
    parentUuid,
    sessionId: "s",
    message,
  });

  test("a reply that goes on behind what was typed ahead is counted once", () => {
    const { sessions, log } = read(
      lines(
        claude("a", null, "user", { content: "Mend it" }),
        claude("b", "a", "assistant", reply("m", "First")),
        claude("c", "b", "user", { content: "Quickly" }),
        claude("d", "b", "assistant", reply("m", "Second")),
      ),
    );
    expect(sessions[0]?.counts).toMatchObject({ messages: 4, usage: 1 });
    expect(JSON.stringify(log)).toContain("Second");
  });

  test("a line that the log repeats is read once, and another call of the same id gets an id of its own", () => {
    const call = (input: object): object => ({
      id: "m",
      content: [{ type: "tool_use", id: "t", name: "Edit", input }],
    });
    const first = claude("b", "a", "assistant", call({ file: "hull" }));
    const { log, notes, sessions } = read(
      lines(
        claude("a", null, "user", { content: "Mend it" }),
        first,
        first,
        claude("c", "b", "assistant", call({ file: "mast" })),
        claude("d", "c", "user", { content: [{ type: "tool_result", tool_use_id: "t", content: "done" }] }),
      ),
    );
    expect(sessions[0]?.counts).toMatchObject({ messages: 2, calls: 2, results: 1 });
    expect(new Set(JSON.stringify(log[1]).match(/"toolCallId":"[^"]+"/g)).size).toBe(2);
    expect(notes.some(({ message }) => message === "1 record that the log repeats, read once")).toBe(true);
  });

  test("a session of the browser is one document, and replies without ids stay apart", () => {
    const result = { type: "tool_result", tool_use_id: "t", content: "done" };
    const document = {
      loglines: [
        { type: "user", timestamp: "1", message: { role: "user", content: "Mend it" } },
        {
          type: "assistant",
          timestamp: "2",
          message: { content: [{ type: "tool_use", id: "t", name: "Edit", input: {} }] },
        },
        { type: "user", timestamp: "3", message: { content: [result] } },
        { type: "assistant", timestamp: "4", message: reply(undefined, "Mended") },
      ],
    };
    for (const text of [JSON.stringify(document), JSON.stringify(document, null, 2)]) {
      const { sessions, log } = read(text);
      expect(sessions).toMatchObject([
        { id: "claude-code:file", counts: { messages: 3, calls: 1, results: 1, usage: 1 } },
      ]);
      expect(log.every(({ parentId }) => parentId === undefined)).toBe(true);
      expect(log.flatMap((entry) => (entry.type === "message" ? [entry.message.role] : []))).toEqual([
        "user",
        "assistant",
        "tool",
        "assistant",
      ]);
    }
  });
});

describe("[L1] Codex, in forms that are not common", () => {
  const meta = (id: string, source: unknown = "cli"): object => ({
    type: "session_meta",
    payload: { id, cwd: "/boat", source },
  });
  const item = (payload: object): object => ({ type: "response_item", payload });
  const event = (payload: object): object => ({ type: "event_msg", payload });
  const asks = (text: string): readonly object[] => [
    item({ type: "message", role: "user", content: [{ type: "input_text", text }] }),
    event({ type: "user_message", message: text }),
  ];
  const says = (text: string): object =>
    item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });

  test("the first record says whose log it is: a sub-agent repeats the log of the one that started it", () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: "main", depth: 1 } } };
    const { sessions } = read(lines(meta("child", source), meta("main"), ...asks("Find bolts"), says("Four")));
    expect(sessions).toMatchObject([{ id: "codex:child", parent: "codex:main", counts: { messages: 2, custom: 1 } }]);
  });

  test("going back makes a branch", () => {
    const back = event({ type: "thread_rolled_back", num_turns: 1 });
    const { log, notes } = read(lines(meta("m"), ...asks("A"), says("B"), ...asks("C"), says("D"), back, ...asks("E")));
    const said = new Map(
      log.map((entry) => [
        JSON.stringify(entry)
          .match(/"text":"(\w)"|"content":"(\w)"/)
          ?.slice(1)
          .join(""),
        entry,
      ]),
    );
    expect(said.get("E")?.parentId).toBe(said.get("B")?.id);
    expect(notes.some(({ message }) => message === "1 time that the user went back, as branches")).toBe(true);
  });

  test("a picture that a tool gave is a picture, and not a text in base64", () => {
    const output = [
      { type: "input_text", text: "The hull" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
    ];
    const call = item({ type: "function_call", name: "view_image", arguments: "{}", call_id: "c" });
    const { log } = read(lines(meta("m"), call, item({ type: "function_call_output", call_id: "c", output })));
    expect(log.at(-1)).toMatchObject({
      message: {
        content: [
          {
            toolName: "view_image",
            output: {
              type: "content",
              value: [
                { type: "text", text: "The hull" },
                { type: "image-data", data: "iVBORw0KGgo=", mediaType: "image/png" },
              ],
            },
          },
        ],
      },
    });
  });
});

test.each([
  [
    "Qwen Code",
    { type: "user", uuid: "u", parentUuid: null, sessionId: "s", message: { role: "user", parts: [{ text: "x" }] } },
  ],
  ["SWE-agent", { trajectory: [{ action: "ls", observation: "" }], history: [], info: {} }],
  ["OpenHands", { instruction: "Mend it", history: [{ action: "message" }] }],
  [
    "Cline",
    { version: 1, agent: "lead", sessionId: "s", messages: [{ role: "user", content: "x" }], system_prompt: "" },
  ],
  ["goose", { working_dir: "/boat", description: "", message_count: 2 }],
  ["goose", { role: "user", created: 1, content: [{ type: "text", text: "x" }] }],
  ["tau-bench", [{ task_id: 0, reward: 1, traj: [] }]],
  ["ToolBench", { win: true, tree: {}, answer_generation: {} }],
  ["MINT", { state: { history: [] }, task: {} }],
  ["Continue", { sessionId: "s", title: "t", workspaceDirectory: "/boat", history: [] }],
  ["an export of Claude", [{ uuid: "u", name: "n", chat_messages: [] }]],
  ["the AI SDK", [{ id: "1", role: "user", parts: [{ type: "text", text: "x" }] }]],
  ["a request", { model: "gpt-5", input: [{ role: "user", content: "x" }] }],
  ["a cassette", { interactions: [{ request: {}, response: {} }], version: 1 }],
  ["a cassette", { log: { version: "1.2", entries: [{ request: {}, response: {} }] } }],
])("[L1] a file of %s is called by its name", (name, value) => {
  expect(() => read(`${JSON.stringify(value)}\n`)).toThrow(name);
});

test("[L1] a long file that is not a log is known as such by its first records", () => {
  const detector = logDetector();
  const piece = lines(...Array.from({ length: 300 }, (_, row) => ({ row })));
  expect(detector.push(piece)).toBeNull();
  expect(detectLog(piece)).toBeUndefined();
  expect(logDetector().push('{"type":"session_meta","payload":{}}\n{"type"')).toBe("codex");
});
