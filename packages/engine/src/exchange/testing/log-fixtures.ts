// Small logs in the shapes that agents write, of our own making.

const lines = (records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");
const at = (second: number): string => `2026-03-01T10:00:${String(second).padStart(2, "0")}.000Z`;

let uuids: string | null = null;
const claude = (type: string, uuid: string, fields: object, parent: string | null = uuids): object => {
  uuids = uuid;
  return {
    type,
    uuid,
    parentUuid: parent,
    sessionId: "s1",
    cwd: "/home/ada/boat",
    timestamp: at(1),
    isSidechain: false,
    ...fields,
  };
};
const said = (content: unknown): object => ({ message: { role: "user", content } });
const usage = { input_tokens: 10, cache_creation_input_tokens: 5, cache_read_input_tokens: 100, output_tokens: 7 };
const block = (id: string, content: object): object => ({
  message: { role: "assistant", id, model: "claude-opus-4-7", usage, content: [content] },
});
const call = (id: string, name: string): object => ({ type: "tool_use", id, name, input: { path: "src/hull.ts" } });
const result = (id: string, content: unknown): object => ({ type: "tool_result", tool_use_id: id, content });

/** Two calls side by side, in lines that are mixed with their results; a compaction; a sub-agent in the same file. */
export const claudeLog = ((): string => {
  uuids = null;
  const records = [
    { type: "file-history-snapshot", messageId: "x", snapshot: {} },
    claude("user", "u1", said("Mend src/hull.ts")),
    claude("assistant", "a1", block("m1", { type: "thinking", thinking: "Look.", signature: "sig" })),
    claude("assistant", "a2", block("m1", call("t1", "Read"))),
    claude("user", "r1", said([result("t1", "let hull = 1;")])),
    claude("assistant", "a3", block("m1", call("t2", "Grep")), "a2"),
    claude("user", "r2", said([result("t2", [{ type: "text", text: "none" }])])),
    claude("assistant", "a4", block("m2", { type: "text", text: "It leaks." })),
    { type: "ai-title", aiTitle: "The hull", sessionId: "s1" },
    claude("system", "b1", { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 900 } }, null),
    claude("user", "k1", { ...said("Summary: the hull leaks."), isCompactSummary: true }),
    claude("assistant", "a5", block("m3", { type: "text", text: "Going on." })),
    { ...claude("user", "s1u", said("Find bolts"), null), isSidechain: true, agentId: "bolts" },
    {
      ...claude("assistant", "s1a", block("m4", { type: "text", text: "Four." })),
      isSidechain: true,
      agentId: "bolts",
    },
  ];
  return lines(records);
})();

const codexItem = (payload: object): object => ({ timestamp: at(2), type: "response_item", payload });
const codexEvent = (payload: object): object => ({ timestamp: at(3), type: "event_msg", payload });
const text = (role: string, content: string): object => {
  const type = role === "assistant" ? "output_text" : "input_text";
  return codexItem({ type: "message", role, content: [{ type, text: content }] });
};
const counted = (total: number): object =>
  codexEvent({
    type: "token_count",
    info: {
      total_token_usage: { total_tokens: total },
      last_token_usage: { input_tokens: 50, cached_input_tokens: 40, output_tokens: 5 },
    },
  });

/** A reply with a call and an encrypted thought; a compaction that brings its whole new history. */
export const codexLog = lines([
  {
    timestamp: at(0),
    type: "session_meta",
    payload: { id: "c1", cwd: "/home/ada/boat", base_instructions: { text: "You are Codex." } },
  },
  { timestamp: at(0), type: "turn_context", payload: { model: "gpt-6.1-codex" } },
  text("user", "Mend the sail"),
  codexEvent({ type: "user_message", message: "Mend the sail" }),
  codexItem({ type: "reasoning", summary: [], encrypted_content: "opaque" }),
  codexItem({ type: "function_call", name: "exec_command", arguments: '{"cmd":"ls"}', call_id: "k1" }),
  counted(55),
  counted(55),
  codexItem({ type: "function_call_output", call_id: "k1", output: "sail.ts" }),
  codexItem({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch", call_id: "k2" }),
  codexItem({ type: "custom_tool_call_output", call_id: "k2", output: '{"output":"done"}' }),
  text("assistant", "Mended."),
  {
    timestamp: at(5),
    type: "compacted",
    payload: {
      message: "",
      replacement_history: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "Mend the sail" }] },
        { type: "compaction", encrypted_content: "opaque" },
      ],
    },
  },
  text("user", "And the mast?"),
]);

const piMessage = (id: string, parentId: string | null, message: object): object => {
  return { type: "message", id, parentId, timestamp: at(1), message };
};
const piText = (words: string): object => ({ content: [{ type: "text", text: words }] });

/** A branch, and a compaction that keeps the last exchange. */
export const piLog = lines([
  { type: "session", version: 3, id: "p1", timestamp: at(0), cwd: "/home/ada/boat" },
  {
    type: "model_change",
    id: "00",
    parentId: null,
    timestamp: at(0),
    provider: "anthropic",
    modelId: "claude-opus-4-7",
  },
  piMessage("01", "00", { role: "user", ...piText("Hello") }),
  piMessage("02", "01", {
    role: "assistant",
    content: [{ type: "toolCall", id: "t1", name: "bash", arguments: { command: "ls" } }],
    model: "claude-opus-4-7",
    usage: { input: 5, output: 2, cacheRead: 10, cacheWrite: 1 },
  }),
  piMessage("03", "02", {
    role: "toolResult",
    toolCallId: "t1",
    toolName: "bash",
    ...piText("mast.ts"),
    isError: false,
  }),
  piMessage("04", "03", { role: "assistant", ...piText("One file."), model: "claude-opus-4-7" }),
  piMessage("05", "03", { role: "assistant", ...piText("Only one file."), model: "claude-opus-4-7" }),
  {
    type: "compaction",
    id: "06",
    parentId: "05",
    timestamp: at(2),
    summary: "They listed.",
    firstKeptEntryId: "05",
    tokensBefore: 99,
  },
  piMessage("07", "06", { role: "user", ...piText("Go on") }),
]);

/** One document over many lines, with a call that shares its id with another one. */
export const opencodeLog = JSON.stringify(
  {
    info: { id: "ses_1", directory: "/home/ada/boat", title: "The keel", parentID: "ses_0" },
    messages: [
      { info: { id: "m1", role: "user", time: { created: 1 } }, parts: [{ type: "text", text: "Look at the keel" }] },
      {
        info: {
          id: "m2",
          role: "assistant",
          time: { created: 2 },
          modelID: "gpt-6.1",
          tokens: { input: 10, output: 3, cache: { read: 20, write: 0 } },
        },
        parts: [
          { type: "step-start" },
          { type: "reasoning", text: "Hm." },
          {
            type: "tool",
            id: "p1",
            callID: "c1",
            tool: "read",
            state: { status: "completed", input: { f: 1 }, output: "keel" },
          },
          {
            type: "tool",
            id: "p2",
            callID: "c1",
            tool: "read",
            state: { status: "error", input: { f: 2 }, error: "gone" },
          },
          { type: "step-finish" },
          { type: "step-start" },
          { type: "text", text: "It is straight." },
        ],
      },
      {
        info: { id: "m3", role: "assistant", summary: true, time: { created: 3 } },
        parts: [{ type: "text", text: "All well." }],
      },
    ],
  },
  null,
  2,
);

/** Lines in which a message is written again when its call has ended, and one is taken back. */
export const geminiLog = lines([
  { sessionId: "g1", projectHash: "abc", startTime: at(0), kind: "main" },
  { id: "1", timestamp: at(1), type: "user", content: [{ text: "Look" }] },
  { id: "2", timestamp: at(2), type: "gemini", content: "", toolCalls: [{ id: "f1", name: "read_file", args: {} }] },
  {
    id: "2",
    timestamp: at(2),
    type: "gemini",
    content: "",
    model: "gemini-3-flash",
    tokens: { input: 70, output: 5, cached: 30, thoughts: 2, total: 77 },
    toolCalls: [
      {
        id: "f1",
        name: "read_file",
        args: {},
        status: "success",
        result: [{ functionResponse: { id: "f1", name: "read_file", response: { output: "rope" } } }],
      },
    ],
  },
  { id: "3", timestamp: at(3), type: "user", content: "Wrong" },
  { $rewindTo: "3" },
  { id: "4", timestamp: at(4), type: "user", content: "Right" },
]);

const event = (type: string, id: string, data: object): object => ({
  type,
  id,
  timestamp: at(1),
  parentId: null,
  data,
});

export const copilotLog = lines([
  event("session.start", "e0", { sessionId: "o1", copilotVersion: "1.0.64", context: { cwd: "/home/ada/boat" } }),
  event("system.message", "e1", { role: "system", content: "You are Copilot." }),
  event("user.message", "e2", { content: "Look", transformedContent: "<now/> Look" }),
  event("assistant.message", "e3", {
    content: "",
    model: "claude-sonnet-4.6",
    outputTokens: 9,
    reasoningText: "Hm.",
    toolRequests: [{ toolCallId: "t1", name: "bash", arguments: { command: "ls" } }],
  }),
  event("tool.execution_start", "e4", { toolCallId: "t1", toolName: "bash" }),
  event("tool.execution_complete", "e5", { toolCallId: "t1", success: true, result: { content: "anchor.ts" } }),
  event("assistant.message", "e6", { content: "An anchor.", model: "claude-sonnet-4.6", toolRequests: [] }),
]);

export const galleyLog = lines([
  { id: "m1", ts: 0, type: "message", message: { role: "user", content: "Hello" } },
  { id: "m2", ts: 1, type: "message", message: { role: "assistant", content: "Good day." } },
  { id: "n1", ts: 2, type: "weather", sky: "blue" },
]);
