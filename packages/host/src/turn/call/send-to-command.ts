import { spawn } from "node:child_process";
import { type AssistantMessage, GalleyError } from "@galley/engine";
import { messageSchema } from "@galley/engine/schemas";
import type { ResultField } from "../../handover/cards/result-fields.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { callsOf } from "../tools/execute-calls.ts";
import type { Send, SentCall } from "./call-model.ts";

/** A command in the place of a model. */
export interface CommandOptions {
  /** Run by the shell; reads one JSON document from its standard input. */
  readonly command: string;
  /** What the command finds in its environment besides ours; `undefined` takes a name away. */
  readonly env?: NodeJS.ProcessEnv;
  /** Takes secrets out of what the command says when it fails. */
  readonly redact: <Value>(value: Value) => Value;
}

/**
 * Sends the calls of a task to a command instead of a model: it reads `{task, messages, tools, contract, stats}` and prints
 * its answer as text. If it prints an assistant message as JSON (`{"role": "assistant", "content": […]}`), the tool calls in
 * it are served, and the command is run again with their results.
 */
export function sendToCommand(options: CommandOptions, task: Task, contract: readonly ResultField[] | undefined): Send {
  return async ({ built, signal }) => {
    const message = replyOf(await runCommand(options, inputOf(task, built, contract), task, signal));
    return { message, calls: callsOf(message), unreadable: new Map(), finish: "stop" };
  };
}

function inputOf(
  { projectId, id, agentId, attempt, depth, deadline, taskIndex, details }: Task,
  { messages, tools, stats }: SentCall["built"],
  contract: readonly ResultField[] | undefined,
): string {
  const task = { projectId, taskId: id, agentId, profile: details["profileName"], attempt, depth, taskIndex, deadline };
  return JSON.stringify({ task, messages, tools, contract: contract ?? null, stats });
}

/** An assistant message if that is what was printed, else the text. */
function replyOf(text: string): AssistantMessage {
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

const maxOutputLength = 16 * 1024 * 1024;
const graceMs = 2000;
/** How much of its last words an error quotes, in characters. */
const maxWordsLength = 2000;

function runCommand(
  { command, env = {}, redact }: CommandOptions,
  input: string,
  task: Task,
  signal: AbortSignal,
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
