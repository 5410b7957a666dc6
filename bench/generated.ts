import type { ModelMessage } from "@galley/engine";

/** Agent sessions of one origin. */
export interface SessionKind {
  readonly name: string;
  readonly systemPrompt: string;
  readonly usesTools: boolean;
  /** Without their system messages. */
  readonly sessions: readonly (readonly ModelMessage[])[];
}

const words =
  "the file opens a list of orders and returns every row that was changed since the last run so check config path index value test module import error line function result user account flight booking date total".split(
    " ",
  );

/** Agent sessions of our own making, for machines without the corpus: the same sizes on the whole, the same every time. */
export function generatedKinds(): SessionKind[] {
  const next = numbers(7);
  const sessions = Array.from({ length: 60 }, (_, index) => generatedSession(index, next));
  return [{ name: "generated", systemPrompt: textOf(600, next), usesTools: true, sessions }];
}

function generatedSession(session: number, next: () => number): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    messages.push({ role: "user", content: textOf(20 + next() * 60, next) });
    for (let step = 0; step < 4; step += 1) {
      const id = `call_${session}_${turn}_${step}`;
      const input = { path: `src/${textOf(1, next)}.ts`, note: textOf(8, next) };
      messages.push(
        {
          role: "assistant",
          content: [
            { type: "text", text: textOf(15 + next() * 40, next) },
            { type: "tool-call", toolCallId: id, toolName: "read", input },
          ],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: id,
              toolName: "read",
              // A few are long and most are short, as tool results are.
              output: { type: "text", value: textOf(20 + next() ** 4 * 1500, next) },
            },
          ],
        },
      );
    }
    messages.push({ role: "assistant", content: textOf(40 + next() * 80, next) });
  }
  return messages;
}

function textOf(count: number, next: () => number): string {
  return Array.from({ length: Math.ceil(count) }, () => words[Math.floor(next() * words.length)]).join(" ");
}

function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
