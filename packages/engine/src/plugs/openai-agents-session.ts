import { wrongInput } from "../model/check/input.ts";
import { type Plug, type PlugOptions, type RecallOption, openPlug } from "./open-plug.ts";
import { type Item, isResult, itemUnits } from "./openai-agents-items.ts";
import { type FunctionTool, functionTool, withOwn } from "./openai-agents-tool.ts";

interface Session {
  getItems(limit?: number, context?: never): Promise<unknown[]>;
  addItems(items: never, context?: never): Promise<void>;
}

/** What only some sessions have. */
interface SessionMethods extends Session {
  readonly acceptsRunContext?: true;
  getItemsWithCompactionOwnership?(context: never): Promise<{ readonly items: unknown[]; readonly ownership: object }>;
  addItemsWithCompactionOwnership?(items: never, ownership: object | null, context: never): Promise<void>;
  runCompaction?(...args: readonly unknown[]): unknown;
}

/** What a session of the SDK gets beside its own methods. */
export interface FittedHistory {
  /** For `tools` of the agent: `context_recall` with `recall: true`, else none. */
  readonly tools: readonly FunctionTool[];
}

/** A session is one conversation. */
const conversation = "session";

/**
 * A session whose runs begin with as much of the history as fits the budget. The session inside keeps everything, and
 * `getItems` gives everything. The budget is for the history: the instructions, the tools and what the run adds come on top.
 *
 *     import { MemorySession, run } from "@openai/agents";
 *     import { fitSession } from "@galley/engine/openai-agents";
 *     const session = fitSession(new MemorySession(), { budget: 32_000 });
 *     await run(agent, input, { session });
 */
export function fitSession<Given extends Session>(
  session: Given,
  options: PlugOptions & RecallOption = {},
): Given & FittedHistory {
  const plug = openPlug(options, ["recall"]);
  if (typeof session?.getItems !== "function" || typeof session.addItems !== "function") {
    const hint = "Pass the one that the run would get: new MemorySession().";
    throw wrongInput("session", "a session of the Agents SDK", session, { hint });
  }
  return withOwn(session, ownMethods(session, plug, options.recall));
}

/**
 * The SDK reads what it sends by the methods for sessions that compact, and by `getItems` what it compares with, and puts
 * back after a failure: only the first is fitted.
 */
function ownMethods(session: SessionMethods, plug: Plug, recall = false) {
  const units = itemUnits();
  const contextFor = (context: never): [never?] => (session.acceptsRunContext ? [context] : []);
  return {
    tools: recall ? [functionTool(() => plug.memoryOf(conversation))] : [],
    async getItemsWithCompactionOwnership(context: never) {
      const { items, ownership } = (await session.getItemsWithCompactionOwnership?.(context)) ?? {
        items: await session.getItems(undefined, ...contextFor(context)),
        ownership: {},
      };
      const answered = withoutOpenCalls(items as readonly Item[]);
      if (!answered.some(({ role }) => role === "user")) return { items, ownership };
      const { messages } = await plug.fit(units.read(answered), { conversation, shape: "openai-responses" });
      return { items: messages.flatMap((item) => units.write(item)), ownership };
    },
    addItemsWithCompactionOwnership: async (items: never, ownership: object | null, context: never) =>
      session.addItemsWithCompactionOwnership
        ? session.addItemsWithCompactionOwnership(items, ownership, context)
        : session.addItems(items, ...contextFor(context)),
    runCompaction: async (...args: readonly unknown[]) => (await session.runCompaction?.(...args)) ?? null,
  };
}

/** Of a run that was stopped, calls may have no results. The SDK sends no such call of the history. */
function withoutOpenCalls(items: readonly Item[]): readonly Item[] {
  const answered = new Set(items.filter(isResult).map(({ callId }) => callId));
  const isOpen = ({ type, callId }: Item): boolean =>
    String(type).endsWith("_call") && callId !== undefined && !answered.has(callId);
  return items.filter((item) => !isOpen(item));
}
