// An agent that speaks ACP by hand, a line at a time, until it lies as LYING_AGENT says. It uses no library, which would not
// let it say what it says.
import { writeFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";

const { LYING_AGENT: lie = "", LYING_AGENT_FILE: file = "" } = process.env;
const { GALLEY_MCP_URL: toolsUrl, GALLEY_SESSION_TOKEN: token = "" } = process.env;
const sessionId = "lying-1";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** Writes all of it, however full the pipe is, and leaves others the time to empty it. */
function put(text: string, to = 1): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(to, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}
const pause = new Int32Array(new SharedArrayBuffer(4));

const send = (message: object): void => put(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id: Message["id"], result: unknown): void => send({ id, result });
const say = (text: string, session = sessionId): void =>
  send({
    method: "session/update",
    params: { sessionId: session, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
  });

let asked = 0;
const answers: Message[] = [];
const ask = (method: string, params: object): void => send({ id: `own-${(asked += 1)}`, method, params });
const askPermission = (session = sessionId, title = "rm"): void =>
  ask("session/request_permission", {
    sessionId: session,
    toolCall: { toolCallId: "t1", title, kind: "execute" },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  });
/** Calls again and again, as long as this process is let. */
function forEver(work: () => void): void {
  const go = (): void => {
    for (let round = 0; round < 100; round += 1) work();
    setImmediate(go);
  };
  go();
}

const mebibyte = "x".repeat(1024 * 1024);

/** What it does when it is prompted; those that end the prompt do so themselves. */
const lies: Readonly<Record<string, (id: Message["id"]) => void>> = {
  "never-answer": () => undefined,
  "half-line": () => put('{"jsonrpc":"2.0","id":3,"resu'),
  "half-line-exit": () => {
    put('{"jsonrpc":"2.0","id":3,"resu');
    process.exit(9);
  },
  "exit-pending": () => {
    askPermission();
    process.exit(9);
  },
  "answer-null": (id) => answer(id, null),
  "answer-error": (id) => send({ id, error: { code: -32_000, message: `no luck ${mebibyte}` } }),
  "answer-secret": (id) => {
    // Where they are cut, at 200 and at a thousand characters, there is the middle of the token.
    askPermission(sessionId, `${"x".repeat(170)}${token}`);
    put(`${token}${"x".repeat(970)}\n`, 2);
    whenAnswered(() => send({ id, error: { code: -32_000, message: `${"x".repeat(970)}${token}` } }));
  },
  "answer-number": (id) => answer(id, { stopReason: 7 }),
  "answer-twice": (id) => {
    say("Once.");
    answer(id, { stopReason: "end_turn" });
    answer(id, { stopReason: "refusal" });
    answer(99_999, { stopReason: "end_turn" });
    answer(`\u001b]0;nobody\u0007`, {});
    send({ result: 1, nobody: 1 });
  },
  "other-session": (id) => {
    say("Not mine.", "somebody-else");
    askPermission("somebody-else");
    say("Mine.");
    whenAnswered(() => answer(id, { stopReason: "end_turn" }));
  },
  garbage: (id) => {
    put('Log: starting\n[1,2]\n"text"\n{"jsonrpc":"2.0"}\n{"jsonrpc":"1.0","id":1}\n\u0000\u0001\n{"half":\n');
    send({ method: "session/update", params: { sessionId, update: { sessionUpdate: "no_such_update", odd: true } } });
    send({ method: "session/update", params: { sessionId } });
    send({ method: "session/update" });
    say("Understood.");
    answer(id, { stopReason: "end_turn" });
  },
  files: (id) => {
    ask("fs/read_text_file", { sessionId, path: file });
    ask("fs/write_text_file", { sessionId, path: file, content: "taken" });
    ask("fs/read_text_file", { sessionId, path: "../../../../etc/passwd" });
    ask("terminal/create", { sessionId, command: "sleep", args: ["1000"] });
    whenAnswered(() => {
      say(JSON.stringify(answers.map(({ error, result }) => error?.code ?? result)));
      answer(id, { stopReason: "end_turn" });
    });
  },
  "big-update": () => {
    put('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"lying-1","update":"');
    for (let count = 0; count < 100; count += 1) put(mebibyte);
    put('"}}\n');
  },
  "big-updates": (id) => {
    for (let count = 0; count < 40; count += 1) {
      const update = {
        sessionUpdate: "tool_call_update",
        toolCallId: `t${count}`,
        rawInput: mebibyte,
        rawOutput: mebibyte,
      };
      send({ method: "session/update", params: { sessionId, update } });
    }
    say("That was all.");
    answer(id, { stopReason: "end_turn" });
  },
  "endless-text": () => forEver(() => say("words ".repeat(200))),
  "permission-flood": () => forEver(() => askPermission()),
  "deaf-flood": () => {
    lines.close();
    process.stdin.pause();
    forEver(() => ask("fs/read_text_file", { sessionId, path: file }));
  },
  "deaf-nonsense": () => {
    lines.close();
    process.stdin.pause();
    forEver(() => send({ method: 5, nonsense: "x".repeat(1000) }));
  },
  "stderr-flood": (id) => {
    for (let count = 0; count < 100; count += 1) put(mebibyte, 2);
    say("Said.");
    answer(id, { stopReason: "end_turn" });
  },
};

/** Or the process that started it waits a while for that. */
async function listTools(): Promise<void> {
  if (toolsUrl === undefined) return;
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
  await fetch(toolsUrl, { method: "POST", headers, body }).catch(() => undefined);
}

let afterAnswers = (): void => undefined;
function whenAnswered(go: () => void): void {
  afterAnswers = go;
}

function take({ id, method, result, error }: Message): void {
  if (method === undefined) {
    answers.push({ result, ...(error ? { error } : {}) });
    if (answers.length === asked) afterAnswers();
  } else if (method === "initialize") {
    if (lie === "silent-start") return;
    const protocolVersion = lie === "other-version" ? 99 : 1;
    answer(id, lie === "null-start" ? null : { protocolVersion, agentCapabilities: {} });
  } else if (method === "session/new") {
    void listTools();
    answer(id, lie === "no-session" ? {} : { sessionId });
  } else if (method === "session/prompt") {
    lies[lie]?.(id);
  }
}

// It ignores every request to end: the process that started it must know how to end it.
process.on("SIGTERM", () => undefined);
setInterval(() => undefined, 1000);
if (file !== "") writeFileSync(`${file}.pid`, String(process.pid));
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => take(JSON.parse(line) as Message));
