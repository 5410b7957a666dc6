import { type AssistantMessage, type InputMessage, type JsonValue, type SessionEntry, growList } from "@galley/engine";
import { placeIdOfChat } from "../../api/place-id.ts";
import type { Chat } from "../../chat/chat.ts";
import { type ChatRun, beginRun } from "../../chat/chat-run.ts";
import { type Exchange, timedMessageId } from "../../chat/contexts/commit-exchange.ts";
import { type ContextStamp, contextStampSchema } from "../../chat/contexts/context-stamp.ts";
import { type DecisionEntry, type ResultLine, formatDecision } from "../../chat/lines/chat-line.ts";
import { resultId } from "../../chat/lines/kept-lines.ts";
import type { Services } from "../services/services.ts";
import type { Tool } from "../../tools/tool.ts";
import { type OwnIds, withoutOwnMessages } from "./own-decisions.ts";
import { type ReturnsPlace, openReturns } from "./returned-results.ts";
import type { AnsweredLog, PlaceRequest, TurnEnd } from "./turn-place.ts";

/** A turn in a chat with working contexts [W11], and the tools that switch them, so that a switch reaches the turn. */
export async function openChatPlace(
  parts: Services,
  { key, session }: { readonly key: string; readonly session: string },
  request: PlaceRequest,
): Promise<AnsweredLog & { readonly chatTools: readonly Tool[] }> {
  const chat = await parts.chats.open(key);
  const { input, branch, resumed, windowTokens, inputTs } = request;
  const earlierSwitches = resumed?.switches ?? 0;
  const inputId = timedMessageId({ ts: inputTs, message: input }, parts.redactor.secrets());
  const returns = await openReturns(parts, request, returnsTo(chat));
  const results = parts.redactor.redact(returns.lines);
  let end: TurnEnd | undefined;
  const run = beginRun(chat, input, {
    inputId,
    results,
    maxBytes: bytesFor(windowTokens),
    settings: request.switching,
    ...(earlierSwitches > 0 ? {} : { cutFrom: branch?.from }),
    write: async (reply, { hasSwitched, head }) => {
      const isSwitched = hasSwitched || earlierSwitches > 0;
      const exchange = reply && end ? answeredExchange(request, end, isSwitched) : failedExchange(request);
      const kept = end && {
        results,
        onConflict: end.onConflict,
        // Its own switch, which a run that was killed makes once more, moves the run along.
        opened: hasSwitched ? run.opened() : (openedBefore(resumed?.state) ?? run.opened()),
        decided: log
          .held()
          .map((entry) => formatDecision(entry, chat.nextTime()))
          .join(""),
        steps: end.steps && { ...end.steps, messages: parts.redactor.redact(log.steps()) },
      };
      await chat.commitExchange({ ...exchange, ...kept, head });
      await (end ? returns.committed() : returns.failed());
      parts.events.emit("chat:changed", key);
    },
  });
  if (resumed) run.add(resumed.steps);
  const log = chatLog(run, chat, { ...request, inputId, results, redactor: parts.redactor });
  return {
    session,
    anchor: inputId,
    chatTools: run.tools,
    ...log,
    switches: () => earlierSwitches + log.switches(),
    unkept: () => run.unkept(),
    add: (messages) => run.add(messages),
    nextTime: () => chat.nextTime(),
    state: () => JSON.parse(JSON.stringify({ opened: run.opened() })) as JsonValue,
    async commit(given) {
      end = given;
      try {
        await run.commit(given.reply);
      } finally {
        end = undefined;
      }
    },
    fail: () => run.fail(),
  };
}

/** A chat as the place that results return to; that of an agent is the agent's. */
export function returnsTo(chat: Chat): ReturnsPlace {
  return {
    place: placeIdOfChat(chat.key),
    recorded: () => chat.recordedResults(),
    find: (anchor, cutFrom) => chat.findMessage(anchor, cutFrom),
  };
}

/** Where a run was opened that another process had answered. */
function openedBefore(state: JsonValue | undefined): ContextStamp | undefined {
  const opened = (state as { readonly opened?: unknown } | null | undefined)?.opened;
  return contextStampSchema.safeParse(opened).data;
}

function failedExchange({ input, inputTs, branch, resumed }: PlaceRequest): Exchange {
  const said = { ts: inputTs, message: input, failed: true };
  return { transcript: branch?.kind === "regenerate" ? [] : [said], active: [], isRepeated: resumed !== undefined };
}

function answeredExchange(
  { input, inputTs, branch, resumed }: PlaceRequest,
  { reply, ts, isStopped, mark }: TurnEnd,
  hasSwitched: boolean,
): Exchange {
  const said = { ts: inputTs, message: input };
  const answered = { ts, message: asSaid(reply), turn: mark };
  return {
    transcript: branch?.kind === "regenerate" ? [answered] : [said, answered],
    active: [said, answered],
    isRepeated: resumed !== undefined,
    ...(isStopped ? { isStopped } : {}),
    ...(branch && !hasSwitched
      ? { cutFrom: branch.from, cutTo: branch.to, keepsAlternate: branch.kind === "regenerate" }
      : {}),
  };
}

/** A reply of nothing but words as a text, without what a provider noted beside it: so other programs read it as well [W2]. */
function asSaid(reply: AssistantMessage): AssistantMessage {
  if (typeof reply.content === "string") return reply;
  const kept = reply.content.filter(({ type }) => type === "text" || type === "file");
  const texts = kept.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === kept.length ? { role: "assistant", content: texts.join("\n\n") } : reply;
}

const bytesPerToken = 8;
const minBytes = 512 * 1024;
const maxBytes = 8 * 1024 * 1024;

/** How much of a chat a build with this budget may need. In powers of two: what is read for one budget serves those beside it. */
function bytesFor(tokens: number): number {
  return Math.min(Math.max(2 ** Math.ceil(Math.log2(tokens * bytesPerToken)), minBytes), maxBytes);
}

type ChatLog = Pick<AnsweredLog, "entries" | "take" | "pending" | "keepDecisions" | "steps" | "switches"> & {
  /** Decisions of builds that wait for the commit. */
  held(): readonly DecisionEntry[];
};

interface ChatLogOptions extends Pick<PlaceRequest, "runId" | "inputTs">, Pick<Services, "redactor"> {
  readonly inputId: string;
  /** They are written with the commit, as the turn's own messages are. */
  readonly results: readonly ResultLine[];
}

/** The log that the builds of one run read: the context, the input and the steps, with what was decided on the way [F8]. */
function chatLog(
  run: ChatRun,
  chat: Pick<Chat, "adopt">,
  { runId, inputTs, inputId, results, redactor }: ChatLogOptions,
): ChatLog {
  let base = run.context();
  let log: readonly SessionEntry[] = base;
  let taken = 0;
  let switches = 0;
  let held: DecisionEntry[] = [];
  const returned = new Set(results.map(resultId));
  const own: OwnIds = { inputId, isStep: (id) => id.startsWith(`${runId}/`) || returned.has(id) };
  /** After a switch the log starts again with the new context. */
  const follow = (): void => {
    if (run.context() === base) return;
    base = run.context();
    log = base;
    taken = 0;
    switches += 1;
    held = [];
  };
  return {
    entries() {
      follow();
      return log;
    },
    take(entry) {
      follow();
      log = growList(log, [entry]);
    },
    pending() {
      follow();
      const messages = run.inputMessages().map((message, index): InputMessage => {
        // The question becomes the entry that will be read of it, time included [T11].
        return index === 0
          ? { ...message, id: inputId, ts: inputTs }
          : { ...message, id: `${runId}/${switches}/${index}` };
      });
      return messages.slice(taken);
    },
    async keepDecisions(entries) {
      log = growList(log, entries);
      taken = run.inputMessages().length;
      chat.adopt(entries);
      for (const entry of entries) {
        if (entry.type === "runtime-init") await run.recordRuntimeInit(redactor.redact(entry));
      }
      const decisions = entries.flatMap((entry): DecisionEntry[] => {
        const decision = isDecision(entry) ? withoutOwnMessages(entry, own) : undefined;
        return decision && isDecision(decision) ? [redactor.redact(decision)] : [];
      });
      // What is decided about a turn's own steps holds words of the turn, and waits for its commit [T6].
      if (taken > 1) held.push(...decisions);
      else for (const decision of decisions) await run.recordDecision(decision);
    },
    steps: () => run.inputMessages().slice(1),
    switches: () => {
      follow();
      return switches;
    },
    held: () => held,
  };
}

function isDecision(entry: SessionEntry): entry is DecisionEntry {
  return entry.type === "compaction" || entry.type === "injection" || entry.type === "activation";
}
