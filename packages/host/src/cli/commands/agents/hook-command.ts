import { setTimeout as sleep } from "node:timers/promises";
import { type Command, Argument } from "commander";
import { inShortRun } from "../../../limits/short-run.ts";
import { type AttachableAgent, attachableAgents } from "../../../logs/read-piece.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** What both agents tell a hook, as far as it is used. */
interface HookEvent {
  readonly hook_event_name?: unknown;
  readonly source?: unknown;
  /** Before a compaction: whether a person asked for it. */
  readonly trigger?: unknown;
  readonly transcript_path?: unknown;
}

/** As o200k counts them. */
const maxTokens = 1500;
/** Claude Code puts more than 9,998 into a file, with a preview. */
const maxCharacters = 9000;
/** Claude Code repeats in the next request what a hook said before a compaction that a person asked for: of the same tokens. */
const tokensBefore = 500;
/** The agent waits: what was not read by then is read with the next compaction. */
const readMs = 6000;
const stdinMs = 2000;

/** `galley hook`: what an attached agent runs around a compaction [L7]. It never fails, and says nothing where it has nothing. */
export function defineHook(command: Command, terminal: Terminal): void {
  command
    .description(
      "What an attached agent runs around each compaction: reads the event from standard input and what is new in the log that " +
        "it names, and prints the names that the model most likely needs. It never fails; where something is wrong it prints nothing.",
    )
    .addArgument(new Argument("<agent>", "whose event it is").choices(attachableAgents))
    .action(async (agent: AttachableAgent) => {
      try {
        terminal.out(await textFor(agent, await readEvent(terminal)));
      } catch {
        // The agent goes on as if nothing were attached.
      }
    });
}

async function readEvent(terminal: Terminal): Promise<HookEvent> {
  const timer = new AbortController();
  const late = sleep(stdinMs, undefined, { signal: timer.signal }).then(
    () => undefined,
    () => undefined,
  );
  const text = await Promise.race([terminal.readStdin(), late]);
  timer.abort();
  // One that is never closed would keep the process alive.
  if (text === undefined) process.stdin.destroy();
  const event: unknown = JSON.parse(text ?? "null");
  return typeof event === "object" && event !== null ? event : {};
}

async function textFor(
  agent: AttachableAgent,
  { hook_event_name: event, source, trigger, transcript_path: path }: HookEvent,
): Promise<string> {
  const isAfter = event === "SessionStart" && source === "compact";
  const isBefore = event === "PreCompact" && agent === "claude-code";
  if ((!isAfter && !isBefore) || typeof path !== "string") return "";
  const parts = await loadParts();
  return inShortRun(() => tell(parts, { agent, path, isBefore, isAsked: trigger === "manual" }));
}

interface Asked {
  readonly agent: AttachableAgent;
  /** Of the log. */
  readonly path: string;
  /** Before a compaction; after it if not. */
  readonly isBefore: boolean;
  /** Whether a person asked for the compaction. */
  readonly isAsked: boolean;
}

/** Reads what is new in the log, and gives what the agent is told. */
async function tell(
  { readAttached, reminderText, summaryInstructions, tokenizer, withoutSecrets }: Parts,
  { agent, path, isBefore, isAsked }: Asked,
): Promise<string> {
  const spent = isBefore ? { spent: isAsked ? tokensBefore : 0 } : {};
  const log = await readAttached(agent, path, { stopAt: performance.now() + readMs, ...spent });
  if (!log) return "";
  const tokens = isBefore ? log.spent || maxTokens : maxTokens - log.spent;
  const options = {
    maxTokens: tokens,
    maxCharacters: Math.floor((maxCharacters * tokens) / maxTokens),
    countTokens: (text: string) => tokenizer.count(text),
  };
  const text = isBefore
    ? summaryInstructions(log.names, options)
    : reminderText(log.names, { ...options, tag: log.tag });
  const masked = withoutSecrets(text);
  if (masked === "" || isBefore) return masked;
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: masked } })}\n`;
}

type Parts = Awaited<ReturnType<typeof loadParts>>;

/** What `tell` needs, loaded before it runs. */
async function loadParts() {
  const [{ readAttached }, { reminderText, summaryInstructions }, tokenizer, { Redactor }, { addSecretsOf }] =
    await Promise.all([
      import("../../../logs/attached-logs.ts"),
      import("@galley/engine/logs"),
      import("@galley/engine").then(({ loadTokenizer }) => loadTokenizer("o200k_base")),
      import("../../../secrets/redactor.ts"),
      import("../../../secrets/secret-values.ts"),
    ]);
  /** What looks like a secret was masked when the log was read; the values of this environment are masked here [P6]. */
  const withoutSecrets = (text: string): string => {
    const redactor = new Redactor();
    addSecretsOf(process.env, redactor);
    return redactor.redact(text);
  };
  return { readAttached, reminderText, summaryInstructions, tokenizer, withoutSecrets };
}
