import type { AssistantMessage, CompactionEntry, InputMessage, SessionEntry } from "@galley/engine";
import { type ChatRun, beginRun } from "../../chat/chat-run.ts";
import { type Exchange, timedMessageId } from "../../chat/lines/commit-exchange.ts";
import type { Services } from "../services/services.ts";
import type { Tool } from "../../tools/tool.ts";
import type { AnsweredLog, PlaceRequest } from "./turn-place.ts";

/** A turn in a chat with working contexts [W11], and the tools that switch them, so that a switch reaches the turn. */
export async function openChatPlace(
  parts: Services,
  key: string,
  request: PlaceRequest,
): Promise<AnsweredLog & { readonly chatTools: readonly Tool[] }> {
  const chat = await parts.chats.open(key);
  const { input, branch, resumed, windowTokens } = request;
  const earlierSwitches = resumed?.switches ?? 0;
  const inputId = timedMessageId({ ts: request.inputTs, message: input }, parts.redactor.secrets());
  const run = beginRun(chat, input, {
    inputId,
    maxMessages: maxMessages,
    maxCharacters: Math.min(Math.max(windowTokens * charactersPerToken, minCharacters), maxCharacters),
    ...(earlierSwitches > 0 ? {} : { cutFrom: branch?.from }),
    write: async (reply, { hasSwitched, head }) => {
      await chat.commitExchange({ ...exchangeOf(reply, hasSwitched || earlierSwitches > 0), head });
      parts.events.emit("chat:changed", key);
    },
  });
  let replyTs = 0;
  const exchangeOf = (reply: AssistantMessage | undefined, hasSwitched: boolean): Exchange => {
    const said = { ts: request.inputTs, message: input };
    const isRepeated = resumed !== undefined;
    const isSaid = branch?.kind === "regenerate";
    if (!reply) return { transcript: isSaid ? [] : [{ ...said, failed: true }], active: [], isRepeated };
    const answered = { ts: replyTs, message: asSaid(reply) };
    return {
      transcript: isSaid ? [answered] : [said, answered],
      active: [said, answered],
      isRepeated,
      ...(branch && !hasSwitched ? { cutFrom: branch.from, cutTo: branch.to } : {}),
    };
  };
  if (resumed) run.add(resumed.steps);
  const log = chatLog(run, { runId: request.runId, inputId, redactor: parts.redactor });
  return {
    session: `chat:${key}`,
    chatTools: run.tools,
    ...log,
    switches: () => earlierSwitches + log.switches(),
    add: (messages) => run.add(messages),
    nextTime: () => chat.nextTime(),
    commit: (reply, ts) => {
      replyTs = ts;
      return run.commit(reply);
    },
    fail: () => run.fail(),
  };
}

/** A reply of nothing but words as a text, without what a provider noted beside it: so other programs read it as well [W2]. */
function asSaid(reply: AssistantMessage): AssistantMessage {
  if (typeof reply.content === "string") return reply;
  const kept = reply.content.filter(({ type }) => type === "text" || type === "file");
  const texts = kept.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === kept.length ? { role: "assistant", content: texts.join("\n\n") } : reply;
}

const maxMessages = 20_000;
const charactersPerToken = 8;
const minCharacters = 400_000;
const maxCharacters = 8_000_000;

type ChatLog = Pick<AnsweredLog, "entries" | "pending" | "keepDecisions" | "steps" | "switches">;

/** The log that the builds of one run read: the context, the input and the steps, with what was decided on the way [F8]. */
function chatLog(
  run: ChatRun,
  { runId, inputId, redactor }: Pick<PlaceRequest, "runId"> & Pick<Services, "redactor"> & { readonly inputId: string },
): ChatLog {
  let base = run.context();
  let log: readonly SessionEntry[] = base;
  let taken = 0;
  let switches = 0;
  /** After a switch the log starts again with the new context. */
  const follow = (): void => {
    if (run.context() === base) return;
    base = run.context();
    log = base;
    taken = 0;
    switches += 1;
  };
  return {
    entries() {
      follow();
      return log;
    },
    pending() {
      follow();
      const idOf = (index: number): string => (index === 0 ? inputId : `${runId}/${switches}/${index}`);
      const messages = run.inputMessages().map((message, index): InputMessage => ({ ...message, id: idOf(index) }));
      return messages.slice(taken);
    },
    async keepDecisions(entries) {
      log = [...log, ...entries];
      taken = run.inputMessages().length;
      const known = new Set(base.map(({ id }) => id));
      const isKept = (id: string | null): boolean => id !== null && (known.has(id) || id === inputId);
      for (const entry of entries) {
        if (entry.type === "compaction") await run.recordDecision(redactor.redact(forChat(entry, known, isKept)));
        if (entry.type === "injection" && isKept(entry.beforeEntryId)) await run.recordDecision(redactor.redact(entry));
      }
    },
    steps: () => run.inputMessages().slice(1),
    switches: () => {
      follow();
      return switches;
    },
  };
}

/** A decision as the chat keeps it: what it says of the run's own steps, which the chat does not keep, is left out. */
function forChat(
  entry: CompactionEntry,
  known: ReadonlySet<string>,
  isKept: (id: string | null) => boolean,
): CompactionEntry {
  const { firstKeptEntryId, maskedBefore, carried, shrunk, injections, ...rest } = entry;
  const inChat = (id: string | null | undefined): string | null =>
    id !== null && id !== undefined && known.has(id) ? id : null;
  const frozen = injections?.filter(({ beforeEntryId }) => isKept(beforeEntryId)) ?? [];
  const stays = carried?.filter(({ id }) => known.has(id)) ?? [];
  return {
    ...rest,
    firstKeptEntryId: inChat(firstKeptEntryId),
    maskedBefore: inChat(maskedBefore),
    ...(stays.length > 0 ? { carried: stays } : {}),
    ...(frozen.length > 0 ? { injections: frozen } : {}),
    ...(shrunk ? { shrunk: shrunk.filter(({ entryId }) => isKept(entryId)) } : {}),
  };
}
