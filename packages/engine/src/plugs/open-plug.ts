import { fieldsCheck, functionCheck, onlyFields } from "../model/check/input.ts";
import type { FitMemory } from "./fit-memory.ts";
import { type FitOptions, optionChecks } from "./fit-options.ts";
import { type FitResult, continues, fit } from "./fit.ts";

/** What every plug is told. */
export interface PlugOptions extends Pick<FitOptions, "budget" | "model" | "compaction"> {
  /** Is given every fit, with its ledger: `describeLedger(build)` of `@galley/engine/proof` puts it into words. */
  readonly onBuild?: ((build: FitResult<unknown>) => void) | undefined;
}

/** The options of plugs whose framework lets a model have one more tool. */
export interface RecallOption {
  /** Gives the model a tool, `context_recall`, that reads what was left out; notes then have handles. Not unless said. */
  readonly recall?: boolean | undefined;
}

/** What a framework says about one call. */
interface PlugCall extends Pick<FitOptions, "model" | "system" | "tools" | "shape"> {
  /** The framework's id of the conversation; without one the conversation is known by its messages. */
  readonly conversation?: string | undefined;
  /** What the framework has kept of the call before. */
  readonly memory?: FitMemory | undefined;
}

export interface Plug {
  /** Fits the list of one call, with the memory of its conversation. */
  readonly fit: <Message extends object>(messages: readonly Message[], call: PlugCall) => Promise<FitResult<Message>>;
  /** The conversation that a list goes on with, if it is known. */
  readonly conversationOf: (messages: readonly unknown[]) => string | undefined;
  /** The memory of a conversation, for frameworks that keep it. */
  readonly memoryOf: (conversation: string) => FitMemory | undefined;
  /** The memory of the conversation that a list goes on with; without a list, of the only conversation that is known. */
  readonly find: (messages?: readonly unknown[]) => FitMemory | undefined;
}

/** How many conversations a plug remembers. */
const maxConversations = 200;

const { budget, model, compaction, recall } = optionChecks;
const fields = { budget, model, compaction, onBuild: functionCheck };

/**
 * What all plugs do: fit a list, and remember what was decided about its conversation, the last 200 of them. `more` are options
 * that only some plugs have.
 */
export function openPlug(given: PlugOptions & RecallOption, more: readonly string[] = []): Plug {
  onlyFields(fieldsCheck({ ...fields, recall }), [...Object.keys(fields), ...more])(given, "options");
  const { onBuild, ...options } = given;
  const known = new Map<string, FitMemory>();
  let unnamed = 0;
  // The newest first.
  const conversationOf = (messages: readonly unknown[]): string | undefined =>
    [...known].findLast(([, memory]) => continues(memory, messages))?.[0];
  return {
    conversationOf,
    memoryOf: (conversation) => known.get(conversation),
    find(messages) {
      const [only, ...others] = known.values();
      return messages ? known.get(conversationOf(messages) ?? "") : others.length === 0 ? only : undefined;
    },
    async fit(messages, { conversation, memory, ...call }) {
      const key = conversation ?? conversationOf(messages) ?? `#${(unnamed += 1)}`;
      const result = await fit(messages, {
        ...options,
        ...call,
        model: options.model ?? call.model,
        memory: known.get(key) ?? memory,
      });
      // The last one used is the last one to go.
      known.delete(key);
      known.set(key, result.memory);
      for (const oldest of known.keys()) if (known.size > maxConversations) known.delete(oldest);
      onBuild?.(result);
      return result;
    },
  };
}
