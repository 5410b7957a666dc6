import { spawn } from "node:child_process";
import { GalleyError, type ModelMessage } from "@galley/engine";
import { messageSchema } from "@galley/engine/schemas";
import { type HandoverTool, specsOf } from "../plan/handover-tools.ts";
import { serveCalls } from "./serve-calls.ts";
import type { RunTask, TaskAttempt } from "./task-attempt.ts";

export interface CommandTaskOptions {
  /** Run by the shell; reads one JSON document from its standard input. */
  readonly command: string;
  readonly tools?: readonly HandoverTool[];
  /** How often one task may call tools and go on. */
  readonly maxRounds?: number;
  /** What the command finds in its environment besides ours; `undefined` takes a name away. */
  readonly env?: NodeJS.ProcessEnv;
  /** Takes secrets out of what the command says, which is kept; it stays as it is if absent. */
  readonly redact?: <Value>(value: Value) => Value;
}

/**
 * Runs tasks with a command instead of a model: it reads `{task, messages, tools, contract}` and prints its answer as text.
 * If it prints an assistant message as JSON (`{"role": "assistant", "content": […]}`), tool calls in it are served, and the
 * command is run again with their results.
 */
export function commandTask(options: CommandTaskOptions): RunTask {
  const { command, tools = [], maxRounds = 50, env = {}, redact = (value) => value } = options;
  return async (first) => {
    let run: TaskAttempt = first;
    for (let round = 0; round < maxRounds; round += 1) {
      const served = await serveCalls(run, tools);
      if (!served) return { status: "suspended" };
      // What was read is redacted, and not what was printed: that may be JSON.
      const reply = redact(replyOf(await runCommand({ command, env, redact }, inputOf(served, tools), served)));
      if (!hasCalls(reply)) return { status: "done", messages: [reply] };
      run = await served.record([reply]);
    }
    throw new GalleyError("CommandFailed", `The command called tools ${maxRounds} times without an answer.`, {
      hint: "Let it answer once it has the results.",
    });
  };
}

function inputOf({ task, build }: TaskAttempt, tools: readonly HandoverTool[]): string {
  const { projectId, id, agentId, attempt, depth, deadline, taskIndex, details } = task;
  return JSON.stringify({
    task: { projectId, taskId: id, agentId, profile: details["profileName"], attempt, depth, taskIndex, deadline },
    messages: build.messages,
    tools: specsOf(tools),
    contract: build.contract ?? null,
    stats: build.stats,
  });
}

/** An assistant message if that is what was printed, else the text. */
function replyOf(text: string): ModelMessage {
  if (text.trimStart().startsWith("{")) {
    try {
      const parsed = messageSchema.safeParse(JSON.parse(text));
      if (parsed.success && parsed.data.role === "assistant") return parsed.data;
    } catch {
      // Text that begins with a brace is still text.
    }
  }
  return { role: "assistant", content: text.trimEnd() };
}

function hasCalls({ content }: ModelMessage): boolean {
  return typeof content !== "string" && content.some((part) => part.type === "tool-call");
}

const maxOutputLength = 16 * 1024 * 1024;
const graceMs = 2000;
/** In characters: so much of its last words is told. */
const maxWordsLength = 2000;

function runCommand(
  { command, env, redact }: Required<Pick<CommandTaskOptions, "command" | "env" | "redact">>,
  input: string,
  { task, signal }: TaskAttempt,
): Promise<string> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // A group of its own, so that what the shell has started ends with it.
    const child = spawn(command, {
      shell: true,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...env, GALLEY_PROJECT: task.projectId, GALLEY_TASK: task.id, GALLEY_AGENT: task.agentId },
    });
    const out: Buffer[] = [];
    let size = 0;
    let err = "";
    const kill = (how: NodeJS.Signals): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, how);
      } catch {
        // It has ended by itself.
      }
    };
    const abort = (): void => {
      kill("SIGTERM");
      setTimeout(() => kill("SIGKILL"), graceMs).unref();
    };
    signal.addEventListener("abort", abort, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutputLength) kill("SIGKILL");
      else out.push(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      // More than is told, and cut after it was redacted: half a secret would not be found.
      err = (err + chunk).slice(-5 * maxWordsLength);
    });
    // A command that does not read its input is free to do so.
    child.stdin.on("error", () => undefined).end(input);
    child.on("error", reject);
    child.on("close", (code, how) => {
      signal.removeEventListener("abort", abort);
      if (signal.aborted) reject(signal.reason as Error);
      else if (size > maxOutputLength) reject(failure(`printed more than ${maxOutputLength} bytes`, "", false));
      else if (code === 0) resolve(Buffer.concat(out).toString("utf8"));
      else reject(failure(how ? `was ended by ${how}` : `ended with exit code ${code}`, redact(err), true));
    });
  });
}

function failure(what: string, err: string, retryable: boolean): GalleyError {
  const last = err.trim().split("\n").at(-1)?.slice(-maxWordsLength).toWellFormed() ?? "";
  const said = last === "" ? "" : `: ${last}`;
  return new GalleyError("CommandFailed", `The command ${what}${said}`, { retryable });
}
