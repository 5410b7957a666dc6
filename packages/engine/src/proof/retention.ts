import { anyListCheck, explain, fieldsCheck, functionCheck, listCheck, numberCheck } from "../model/check/input.ts";
import { GalleyError } from "../model/check/errors.ts";
import { messageCheck } from "../model/message-schema.ts";
import type { ModelMessage } from "../model/messages.ts";
import { namesIn, saidIn } from "../model/names.ts";
import { type TokenAccount, accountCheck } from "../tokens/account.ts";

/** Of the names or lines that replies repeat: which of them the inputs of their calls had. */
export interface RetentionShare {
  readonly used: number;
  readonly present: number;
  /** Not there, and had by a handle that is: for a model with `context_recall` [R1, R2]. */
  readonly reachable: number;
  /** Neither. */
  readonly lost: number;
}

/** What the inputs of a conversation's calls still held of what its replies repeated [R5]. */
export interface Retention {
  /** Calls that had an input, and those for which there was none that fits. */
  readonly calls: number;
  readonly refused: number;
  /** Of all inputs together. */
  readonly tokens: number;
  readonly overBudget: number;
  readonly names: RetentionShare;
  /** Names that were last mentioned more than half a budget back. */
  readonly farNames: RetentionShare;
  /** Whole lines: names alone would reward throwing content away. */
  readonly lines: RetentionShare;
}

/** Gives the input of the call that the message at an index answers. */
export type InputOf = (index: number) => readonly ModelMessage[] | Promise<readonly ModelMessage[]>;

/** Whether a handle in an input leads to a text, which one of these messages has (indexes, in order). */
export type Reaches = (input: readonly ModelMessage[], places: readonly number[]) => boolean;

export interface RetentionOptions {
  readonly account: TokenAccount;
  /** What an input should fit into; a name is far when half of it lies between. */
  readonly budget: number;
  /** What each call is sent. One that throws `ContextOverflow` counts as refused. */
  readonly inputOf: InputOf;
  /** For inputs with handles. Without it, what is not present is lost. */
  readonly reaches?: Reaches | undefined;
  /** Awaited before each message and each name: for those who let other work go on between, or stop. */
  readonly pause?: (() => Promise<void> | undefined) | undefined;
}

const functions = { inputOf: functionCheck, reaches: functionCheck, pause: functionCheck };
const checks = { account: accountCheck, budget: numberCheck, ...functions };
const optionsCheck = fieldsCheck(checks, ["account", "budget", "inputOf"]);

/** Shorter lines are repeated by chance. */
const minLine = 24;

type Count = { -readonly [Part in keyof RetentionShare]: RetentionShare[Part] };
/** Where what a reply repeats was found. */
type Fate = Exclude<keyof RetentionShare, "used">;

/** What was said so far: the messages that have a name or line, and the tokens up to the last of them. */
interface Earlier {
  readonly names: Map<string, { readonly places: number[]; tokens: number }>;
  readonly lines: Map<string, number[]>;
  tokens: number;
}

/**
 * Replays a conversation call by call and says how much of what each reply repeats was in the input of its call, could be had
 * by a handle in it, or was lost: names, far names and lines that occurred earlier [R5].
 *
 * @example
 * const account = tokenAccount(await loadTokenizer("o200k_base"));
 * const messages = [
 *   { role: "user", content: "Look at src/hull.ts" },
 *   { role: "assistant", content: "I open src/hull.ts." },
 * ];
 * const { names } = await measureRetention(messages, { account, budget: 8000, inputOf: (at) => messages.slice(0, at) });
 * names; // → { used: 1, present: 1, reachable: 0, lost: 0 }
 */
export async function measureRetention(
  messages: readonly ModelMessage[],
  options: RetentionOptions,
): Promise<Retention> {
  optionsCheck(options, "options");
  anyListCheck(messages, "messages");
  try {
    return await measure(messages, options);
  } catch (error) {
    throw explain(error, () => listCheck(messageCheck)(messages, "messages"));
  }
}

async function measure(
  messages: readonly ModelMessage[],
  { account, budget, inputOf, reaches = () => false, pause = () => undefined }: RetentionOptions,
): Promise<Retention> {
  const none = (): Count => ({ used: 0, present: 0, reachable: 0, lost: 0 });
  const sum = { calls: 0, refused: 0, tokens: 0, overBudget: 0, names: none(), farNames: none(), lines: none() };
  const earlier: Earlier = { names: new Map(), lines: new Map(), tokens: 0 };
  for (const [index, message] of messages.entries()) {
    await pause();
    const said = saidIn(message);
    const [names, lines] = [namesIn(said), linesIn(said)];
    if (message.role === "assistant" && index > 0) {
      const input = await inputUnlessRefused(inputOf, index);
      if (input) {
        const text = input.map(saidIn).join("\n");
        const fateOf = (wanted: string, places: readonly number[]): Fate =>
          text.includes(wanted) ? "present" : reaches(input, places) ? "reachable" : "lost";
        for (const name of names) {
          const before = earlier.names.get(name);
          if (!before) continue;
          await pause();
          const fate = fateOf(name, before.places);
          add(sum.names, fate);
          if (earlier.tokens - before.tokens > budget / 2) add(sum.farNames, fate);
        }
        for (const line of lines) {
          const places = earlier.lines.get(line);
          if (!places) continue;
          await pause();
          add(sum.lines, fateOf(line, places));
        }
        const { tokens } = account.countInput(input);
        sum.calls += 1;
        sum.tokens += tokens;
        if (tokens > budget) sum.overBudget += 1;
      } else sum.refused += 1;
    }
    earlier.tokens += account.countMessage(message);
    for (const name of names) {
      const before = earlier.names.get(name);
      before?.places.push(index);
      earlier.names.set(name, { places: before?.places ?? [index], tokens: earlier.tokens });
    }
    for (const line of lines) earlier.lines.set(line, [...(earlier.lines.get(line) ?? []), index]);
  }
  return sum;
}

function add(count: Count, fate: Fate): void {
  count.used += 1;
  count[fate] += 1;
}

async function inputUnlessRefused(inputOf: InputOf, index: number): Promise<readonly ModelMessage[] | undefined> {
  try {
    return await inputOf(index);
  } catch (error) {
    if (error instanceof GalleyError && error.code === "ContextOverflow") return undefined;
    throw error;
  }
}

function linesIn(text: string): ReadonlySet<string> {
  const lines = text.split("\n").map((line) => line.trim());
  return new Set(lines.filter((line) => line.length >= minLine));
}
