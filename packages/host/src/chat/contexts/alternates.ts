import { GalleyError } from "@galley/engine";
import { type AlternateLine, type ChatMessage, type KeptLine, type StepsLine, messageId } from "../lines/chat-line.ts";
import type { ChatPaths } from "../lines/chat-paths.ts";
import type { ChatWriter } from "../lines/chat-writer.ts";
import { type StoredItem, formatStored, isLineRedacted, pinTarget } from "../lines/kept-lines.ts";
import { type LogLine, logLines, rewriteLog } from "../lines/log-lines.ts";
import type { Window } from "../lines/read-window.ts";
import type { Redactions } from "../lines/redactions.ts";

/** A question with its reply, and what stands between and behind them. */
interface Answered {
  readonly question: ChatMessage;
  readonly reply: ChatMessage | undefined;
  readonly steps: StepsLine | undefined;
  readonly isStopped: boolean;
  readonly alternates: readonly AlternateLine[];
  /** Whether another message follows the reply. */
  readonly isLast: boolean;
  /** The numbers of its lines, the question's first. */
  readonly numbers: readonly number[];
}

/** An answer that was regenerated and not chosen. */
export interface Alternate {
  readonly id: string;
  /** The id of its question. */
  readonly of: string;
  readonly message: ChatMessage;
  /** Set when a person stopped it. */
  readonly isStopped?: true;
}

/** The answers of a context that were not chosen, oldest first [T13]. */
export function alternatesIn({ kept }: Pick<Window, "kept">): readonly Alternate[] {
  return kept.flatMap(({ line }) => {
    if (line.type !== "alternate") return [];
    const { of, message, isStopped } = line;
    return [{ id: messageId(message), of, message, ...(isStopped ? { isStopped } : {}) }];
  });
}

/** The replies that were not chosen: those of before, and the one that stands as the message now [T13]. */
export function regenerated(lines: Iterable<LogLine>, questionId: string): readonly KeptLine[] {
  const found = findAnswered(lines, questionId);
  return found ? [...found.alternates, ...asAlternate(found, questionId)] : [];
}

function asAlternate({ reply, steps, isStopped }: Answered, of: string): readonly AlternateLine[] {
  if (!reply) return [];
  const { count, tokens, messages } = steps ?? {};
  const before = count === undefined || tokens === undefined ? undefined : { count, tokens, messages };
  const line: AlternateLine = { type: "alternate", ts: reply.ts, of, message: reply };
  return [{ ...line, ...(before ? { steps: before } : {}), ...(isStopped ? { isStopped } : {}) }];
}

/** Makes an alternate the reply, and the reply an alternate, in one rename [T13]. */
export async function chooseAlternate(
  {
    paths,
    writer,
    redactions,
  }: { readonly paths: ChatPaths; readonly writer: ChatWriter; readonly redactions: () => Redactions },
  id: string,
): Promise<void> {
  await writer.hold(async () => {
    const chosen = findAlternate(paths.active, id);
    if (!chosen || isLineRedacted(chosen, redactions())) throw unknownAlternate(id);
    const found = findAnswered(logLines(paths.active), chosen.of);
    if (!found?.isLast) throw notLast(id);
    const { question, alternates, numbers } = found;
    const [first] = numbers;
    const rest = alternates.filter((line) => messageId(line.message) !== id);
    const items: readonly StoredItem[] = [question, ...chosenItems(chosen), ...rest, ...asAlternate(found, chosen.of)];
    const text = items.map(formatStored).join("");
    await rewriteLog(paths.active, ({ number, bytes, line }) => {
      if (number === first) return text;
      // A reply that is not chosen is not sent, and so not pinned any more.
      if (line?.type === "pin" && found.reply && pinTarget(line) === messageId(found.reply)) return undefined;
      return numbers.includes(number) ? undefined : bytes;
    });
  });
}

function chosenItems({ of, message, steps, isStopped }: AlternateLine): readonly StoredItem[] {
  const { ts } = message;
  const own = messageId(message);
  const before: KeptLine[] = steps ? [{ type: "steps", ts, of: [of, own], ...steps }] : [];
  const behind: KeptLine[] = isStopped ? [{ type: "stopped", ts, entryId: own }] : [];
  return [...before, message, ...behind];
}

function findAlternate(file: string, id: string): AlternateLine | undefined {
  for (const { line } of logLines(file)) {
    if (line?.type === "alternate" && messageId(line.message) === id) return line;
  }
  return undefined;
}

function findAnswered(lines: Iterable<LogLine>, questionId: string): Answered | undefined {
  let question: ChatMessage | undefined;
  let reply: ChatMessage | undefined;
  let steps: StepsLine | undefined;
  let [isStopped, isLast] = [false, true];
  const alternates: AlternateLine[] = [];
  const numbers: number[] = [];
  for (const { line, number } of lines) {
    if (line?.type === "message") {
      if (!question && messageId(line.message) === questionId) question = line.message;
      else if (question && !reply && line.message.role === "assistant") reply = line.message;
      else if (question) isLast = false;
      else continue;
      if (!isLast) break;
    } else if (!question) continue;
    else if (line?.type === "steps") steps = line;
    else if (line?.type === "stopped") isStopped = true;
    else if (line?.type === "alternate") alternates.push(line);
    else continue;
    numbers.push(number);
  }
  return question && { question, reply, steps, isStopped, alternates, isLast, numbers };
}

function unknownAlternate(id: string): GalleyError {
  return new GalleyError("NotFound", `The active context has no alternate ${JSON.stringify(id)}.`, {
    path: "messageId",
    hint: "The alternates of a chat are listed with their ids; those of another context come back when it is loaded.",
  });
}

function notLast(id: string): GalleyError {
  return new GalleyError(
    "EditNotAllowed",
    `The alternate ${JSON.stringify(id)} belongs to a question that is not the last one.`,
    {
      path: "messageId",
      hint: "What follows was said to the other answer. Edit the message that follows to begin a branch there.",
    },
  );
}
