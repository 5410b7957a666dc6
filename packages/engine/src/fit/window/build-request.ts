import type { Preset } from "../../compose/preset/preset.ts";
import { presetCheck } from "../../compose/preset/preset-schema.ts";
import { type ResolveOptions, resolveFields } from "../../compose/preset/resolve-preset.ts";
import {
  type InputCheck,
  anyListCheck,
  fieldsCheck,
  flagCheck,
  functionCheck,
  listCheck,
  objectCheck,
  textCheck,
} from "../../model/check/input.ts";
import type { SessionEntry } from "../../model/entries.ts";
import { toolCheck } from "../../model/message-schema.ts";
import type { JsonObject, ToolSpec } from "../../model/messages.ts";
import type { Sha256 } from "../../model/sha256.ts";
import { type TokenAccount, accountCheck } from "../../tokens/account.ts";
import type { ContextConfig } from "../rungs/limits.ts";

/** Everything that a build depends on: the same request always gives the same bytes [F2]. */
export interface BuildRequest extends ResolveOptions {
  /** The session's log, whole or from a compaction on. */
  readonly entries: readonly SessionEntry[];
  /** Entries that are about to be appended. */
  readonly added?: readonly SessionEntry[] | undefined;
  /** The last entry of the branch to build; by default the last of all. */
  readonly leafId?: string | undefined;
  readonly config: ContextConfig;
  readonly account: TokenAccount;
  /** For the ids of what is decided; the engine's own unless given. */
  readonly sha256?: Sha256 | undefined;
  /** Without one, the history is sent as it is. */
  readonly preset?: Preset | undefined;
  readonly tools?: readonly ToolSpec[] | undefined;
  /** Stands right after the system prompt; without it, what the session was started with does. */
  readonly runtimeInit?: JsonObject | undefined;
  readonly hints?: JsonObject | undefined;
  /** The provider has said that the input was too long: fit to a share of the present size. */
  readonly overflowHint?: boolean | undefined;
}

const requestFields: Readonly<Record<keyof BuildRequest, InputCheck>> = {
  ...resolveFields,
  // Entries are checked where they are read, so that a build does not walk the log for it [F14].
  entries: anyListCheck,
  added: anyListCheck,
  leafId: textCheck,
  config: objectCheck,
  account: accountCheck,
  sha256: functionCheck,
  preset: presetCheck,
  tools: listCheck(toolCheck),
  runtimeInit: objectCheck,
  hints: objectCheck,
  overflowHint: flagCheck,
};

export const requestCheck: InputCheck = fieldsCheck(requestFields, ["entries", "config", "account"]);

/** What holds just now: the preset's hints, and those of the request, which win. */
export function hintsOf({ preset, hints }: BuildRequest): JsonObject | undefined {
  const own = preset?.context?.hints;
  const all = own ? { ...own, ...hints } : hints;
  return all && Object.keys(all).length > 0 ? all : undefined;
}
