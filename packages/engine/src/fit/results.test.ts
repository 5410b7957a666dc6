import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../model/entries.ts";
import { formatSession, parseSession } from "../model/session-file.ts";
import { tokenAccount } from "../tokens/account.ts";
import { loadTokenizer } from "../tokens/counters/load-tokenizer.ts";
import { build } from "./build.ts";

const account = tokenAccount(await loadTokenizer("o200k_base"));

function said(id: string, role: "user" | "assistant", content: string): SessionEntry {
  return { id, ts: 0, type: "message", message: { role, content } };
}

function result(id: string, content: string): SessionEntry {
  return { id, ts: 0, type: "result", taskId: id, message: { role: "user", content } };
}

const question = said("q2", "user", "And now?");
const log: readonly SessionEntry[] = [
  said("q1", "user", "Ask the writer."),
  said("a1", "assistant", "I have asked."),
  result("r1", "From another agent: a poem."),
  question,
];

describe("results of tasks", () => {
  test("[A1] are sent as user messages in front of the question, and hints stand behind them", () => {
    const { messages, ledger } = build({
      entries: log,
      account,
      config: { maxInputTokens: 8000 },
      hints: { weather: "rain" },
    });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "system", "user"]);
    expect(messages[2]?.content).toBe("From another agent: a poem.");
    expect(messages[3]?.content).toContain("rain");
    expect(messages[4]?.content).toBe("And now?");
    expect(ledger.find(({ id }) => id === "r1")).toMatchObject({ kind: "message", fate: "kept", position: 2 });
  });

  test("[A1] never count as the last user message, and leave like history", () => {
    const long = result("r2", "word ".repeat(3000));
    const entries = [said("old", "user", "Hello"), question, said("a2", "assistant", "Thinking."), long];
    const more = [...entries, said("a3", "assistant", "Still thinking.")];
    const { messages } = build({ entries: more, account, config: { maxInputTokens: 200 } });
    expect(messages.map(({ content }) => content)).toEqual(["And now?", "Still thinking."]);
  });

  test("[A1] are read back from a session file as they were written", () => {
    expect(parseSession(formatSession(log)).entries).toEqual(log);
  });
});
