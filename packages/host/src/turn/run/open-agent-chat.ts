import { ContextManager, GalleyError, type Language, type ModelMessage, type UserMessage } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import type { AgentChat, WindowFacts } from "../../inject/session/agent-chat.ts";
import type { Chat } from "../../chat/chat.ts";
import { timedMessageId } from "../../chat/contexts/commit-exchange.ts";
import { newestLanguage } from "../../chat/lines/reference-label.ts";
import { sha256 } from "../../disk/sha256.ts";
import { foreignModel } from "../call/resolve-model.ts";
import { switchSettingsOf } from "../call/resolve-settings.ts";
import { returnsTo } from "../places/chat-place.ts";
import { openReturns } from "../places/returned-results.ts";
import { newId } from "../../handover/options/new-id.ts";
import type { Services } from "../services/services.ts";
import { placeSettings } from "../services/setting-layers.ts";
import { offeredTools } from "../tools/own-tools.ts";

/** How much of a chat is read for a session: more than any window holds. */
const maxBytes = 8 * 1024 * 1024;
/** The window of a model that nothing is known of, in tokens. */
const unknownWindow = 64_000;
/** Of what may be sent, for the words that are put around each message. */
const usable = 0.9;
/** What stands for a reply without words: a chat keeps no empty message. */
const noWords = "[The agent ended its turn without words.]";

/** The chat of an agent that runs over ACP [A6]. */
export async function openAgentChat(parts: Services, name: string): Promise<AgentChat> {
  const key = chatKeyOf({ kind: "agent", name });
  const chat = await parts.chats.open(key);
  const stamp = (): string => JSON.stringify(chat.stamp());
  return {
    stamp,
    recall: (facts) => recall(parts, chat, name, facts),
    async begin(prompt) {
      const message: UserMessage = { role: "user", content: prompt };
      const said = { ts: chat.nextTime(), message };
      const turnId = newId(parts.now());
      const ownTools = offeredTools(await placeSettings(parts, { kind: "agent", name }));
      const returns = await openReturns(parts, { runId: turnId, inputTs: said.ts, ownTools }, returnsTo(chat));
      const results = parts.redactor.redact(returns.lines);
      const opened = stamp();
      const { head } = chat.context({ maxBytes }, { input: message });
      parts.prompts.set(name, { message, turnId, anchor: timedMessageId(said, parts.redactor.secrets()) });
      const end = async (exchange: Parameters<Chat["commitExchange"]>[0]): Promise<void> => {
        parts.prompts.delete(name);
        await chat.commitExchange(exchange);
        parts.events.emit("chat:changed", key);
      };
      return {
        results: results.map(({ content }) => content).join("\n\n"),
        async commit({ text, isStopped }) {
          const reply = { role: "assistant", content: text === "" ? noWords : text } as const;
          const answered = { ts: chat.nextTime(), message: reply };
          const isSwitched = stamp() !== opened;
          const both = [said, answered];
          await end({ transcript: both, active: both, results, isStopped, ...(isSwitched ? {} : { head }) });
          await returns.committed();
          const isLast = chat.stamp().last === timedMessageId(answered, parts.redactor.secrets());
          return isLast && !isSwitched ? stamp() : undefined;
        },
        async fail() {
          await end({ transcript: [{ ...said, failed: true }], active: [] });
          await returns.failed();
        },
      };
    },
  };
}

const labels: Readonly<Record<Language, readonly [before: string, after: string]>> = {
  en: [
    "What was said so far, in sessions before this one. Go on from here.",
    "This was the conversation so far. The user's message follows.",
  ],
  zh: ["以下是到目前为止的对话（来自之前的会话），请在此基础上继续。", "以上是到目前为止的对话。下面是用户的消息。"],
};

async function recall(parts: Services, chat: Chat, name: string, facts: WindowFacts): Promise<string> {
  const { entries } = chat.context({ maxBytes }, {});
  if (!entries.some(({ type }) => type === "message")) return "";
  const { compactor, language } = await switchSettingsOf(parts, chat.key);
  const model = await foreignModel(facts.model ?? name, parts);
  const window = facts.windowTokens ?? (model.info.isKnown ? model.info.window : unknownWindow);
  // It is fitted once for a session, and need not leave room for what comes.
  const config = { maxInputTokens: Math.max(1, Math.floor((window / 2) * usable)), targetRatio: 0.95 };
  const manager = new ContextManager({ config, tokenizer: model.tokenizer, sha256, compactor });
  const messages = await fitted(manager, entries);
  const said = chat.window().messages;
  const [before, after] = labels[language ?? newestLanguage(said)];
  const text = messages.map(({ role, content }) => `${role}: ${wordsOf(content)}`).join("\n\n");
  return `<conversation source="galley">\n${before}\n\n${text}\n</conversation>\n\n${after}`;
}

/** What fits of a context; where not even what is pinned does, the end of it. */
async function fitted(
  manager: ContextManager,
  sessionEntries: Parameters<ContextManager["buildContext"]>[0]["sessionEntries"],
): Promise<readonly ModelMessage[]> {
  try {
    return (await manager.buildContext({ sessionEntries, inputMessages: [] })).modelMessages;
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "ContextOverflow") throw error;
    const all = sessionEntries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    const last = wordsOf(all.at(-1)?.content ?? "");
    return [{ role: "assistant", content: `…${last.slice(-manager.config.maxInputTokens)}` }];
  }
}

function wordsOf(content: ModelMessage["content"]): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => (part.type === "text" || part.type === "reasoning" ? part.text : `[${part.type}]`))
    .join("\n");
}
