import { hash } from "node:crypto";
import { type AssistantMessage, GalleyError, type ModelMessage, canonicalJson } from "@galley/engine";
import { messageSchema } from "@galley/engine/schemas";
import * as z from "zod";
import { chatKeyOf, parsePlaceId } from "../../api/place-id.ts";
import type { RunResult } from "../../api/run-event.ts";
import { entryIdOf } from "../places/own-messages.ts";
import type { Services } from "../services/services.ts";
import type { TurnOutcome, TurnUsage } from "../services/turn-types.ts";

/** What came back for a turn. What is not a reply must not get into the log, where every later turn would stumble over it. */
export function checkReply(assistant: unknown): AssistantMessage {
  const reply = typeof assistant === "string" ? { role: "assistant", content: assistant } : assistant;
  checkMessage(reply, ["assistant"], "assistant");
  return reply as AssistantMessage;
}

/** All steps of a turn: they begin with those that were given before, and every call has its result. */
export function checkSteps(steps: unknown, before: readonly ModelMessage[]): readonly ModelMessage[] {
  if (!Array.isArray(steps)) throw noOutcome("is not a list of messages", "steps");
  const open = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const path = `steps[${index}]`;
    checkMessage(step, ["assistant", "tool"], path);
    const isCall = (step as ModelMessage).role === "assistant";
    if (isCall && open.size > 0) throw unpaired(open, path);
    for (const part of partsOf(step as ModelMessage)) {
      if (part.type === "tool-call" && !part.providerExecuted) open.add(part.toolCallId);
      if (part.type !== "tool-result" || isCall || open.delete(part.toolCallId)) continue;
      throw noOutcome(`has a result for ${JSON.stringify(part.toolCallId)}, which no step called`, path);
    }
  }
  if (open.size > 0) throw unpaired(open, "steps");
  checkBeginning(steps as readonly ModelMessage[], before);
  return steps as readonly ModelMessage[];
}

function checkBeginning(steps: readonly ModelMessage[], before: readonly ModelMessage[]): void {
  const at = before.findIndex((message, index) => canonicalJson(message) !== canonicalJson(steps[index] ?? null));
  if (at < 0) return;
  throw new GalleyError("ContextInvalidInput", `steps[${at}] is not the step that was given there before.`, {
    path: `steps[${at}]`,
    hint: "Give all steps of the turn each time, the new ones behind those of before.",
  });
}

const count = z.int().min(0).max(1_000_000_000);
const usageSchema = z.looseObject({
  inputTokens: count,
  outputTokens: count.optional(),
  cachedInputTokens: count.optional(),
  inputTokenDetails: z.looseObject({ cacheReadTokens: count.optional() }).optional(),
});

/** What a provider counted, as we write it down; the AI SDK's `usage` can be given as it is. */
export function checkUsage(given: TurnUsage | undefined): RunResult["usage"] | undefined {
  if (given === undefined) return undefined;
  const { success, data, error } = usageSchema.safeParse(given);
  if (!success) {
    const [issue] = error.issues;
    const path = ["usage", ...(issue?.path ?? []).map(String)].join(".");
    throw new GalleyError("ContextInvalidInput", `${path} is not a number of tokens.`, {
      path,
      hint: "Give {inputTokens, outputTokens?, cachedInputTokens?} as whole numbers, or leave usage out.",
    });
  }
  const { inputTokens, outputTokens = 0, cachedInputTokens, inputTokenDetails } = data;
  const cached = cachedInputTokens ?? inputTokenDetails?.cacheReadTokens ?? 0;
  return { inputTokens, outputTokens, cachedInputTokens: cached };
}

/** Names a turn and what was committed: the same commit again has the same mark [T7]. */
export function commitMark(turnId: string, { assistant, steps }: Pick<TurnOutcome, "assistant" | "steps">): string {
  const said = typeof assistant === "string" ? { role: "assistant", content: assistant } : assistant;
  const content = JSON.stringify([said, steps ?? null]);
  return `${turnId}/${hash("sha256", content, "hex").slice(0, 16)}`;
}

const remembered = 24 * 60 * 60 * 1000;
/** How many messages back it is looked for in a chat. */
const lookBack = { maxMessages: 10_000, maxCharacters: 2 ** 40 };

/**
 * Whether a turn that is not open any more was committed with this outcome: the same commit again answers the same [T7], also
 * after a restart, because the reply itself says which turn it belongs to. With another outcome it is an error.
 */
export async function isCommitted(parts: Services, turnId: string, outcome: TurnOutcome): Promise<boolean> {
  const { store, project, now } = parts;
  const found = await store.builds.findTurn(project, turnId);
  if (!found || found.at < now() - remembered) return false;
  const { sessionId } = found;
  const key = chatKeyOf(parsePlaceId(sessionId));
  const isSame =
    key !== undefined
      ? await committedInChat(parts, key, turnId, outcome)
      : await committedInSession(parts, sessionId, turnId, outcome);
  if (isSame === false) throw endedTurn("committed");
  return isSame === true;
}

async function committedInChat(
  { chats }: Services,
  key: string,
  turnId: string,
  outcome: TurnOutcome,
): Promise<boolean | undefined> {
  const { messages } = (await chats.open(key)).transcript(lookBack);
  const reply = messages.findLast(({ turn }) => turn?.startsWith(`${turnId}/`));
  return reply && reply.turn === commitMark(turnId, outcome);
}

async function committedInSession(
  { sessions, redactor }: Services,
  session: string,
  turnId: string,
  { assistant }: TurnOutcome,
): Promise<boolean | undefined> {
  const id = entryIdOf(turnId, "reply");
  const reply = (await sessions.read(session)).findLast((entry) => entry.id === id);
  if (reply?.type !== "message") return undefined;
  return canonicalJson(reply.message) === canonicalJson(redactor.redact(checkReply(assistant)));
}

export function endedTurn(how: string): GalleyError {
  return new GalleyError("EditNotAllowed", `The turn was ${how} already.`, {
    path: "turn",
    hint: "Begin a new turn for the next message.",
  });
}

function partsOf({ content }: ModelMessage): readonly Exclude<ModelMessage["content"], string>[number][] {
  return typeof content === "string" ? [] : content;
}

function checkMessage(value: unknown, roles: readonly ModelMessage["role"][], path: string): void {
  const { success, data, error } = messageSchema.safeParse(value);
  if (!success) throw noOutcome(`is not a message: ${error.issues[0]?.message ?? ""}`, path);
  if (!roles.includes(data.role)) throw noOutcome(`has the role ${data.role}, not ${roles.join(" or ")}`, path);
}

function unpaired(calls: ReadonlySet<string>, path: string): GalleyError {
  return noOutcome(`lacks the results of the calls ${[...calls].join(", ")}`, path);
}

function noOutcome(what: string, path: string): GalleyError {
  return new GalleyError("ContextInvalidInput", `${path} ${what}.`, {
    path,
    hint: "Give the reply as a text or as a message of the assistant, and as steps each call together with its result.",
  });
}
