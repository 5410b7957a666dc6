import * as z from "zod";
import { type InputCheck, inputCheck, listCheck } from "./check/input.ts";
import type { MessageRole } from "./messages.ts";

const fates = [
  "dropped",
  "disabled",
  "inactive",
  "unmatched",
  "summarised",
  "shrunk",
  "masked",
  "merged",
  "anchor",
  "kept",
  "generated",
] as const;
/** What became of one input of a build [P1]: the first that applies, from the top. */
export type Fate = (typeof fates)[number];

/** Why an entry of a lorebook did not come. */
const entryRules = [
  "no-key",
  "secondary",
  "reply",
  "character",
  "condition",
  "delay",
  "cooldown",
  "chance",
  "group",
  "recursion",
  "budget",
  "decorator",
  "not-given",
] as const;
export type EntryRule = (typeof entryRules)[number];

const rules = [
  "limit",
  "duplicate",
  "empty",
  "orphan",
  "redacted",
  "tool-steps",
  "tools-changed",
  "memory-ignored",
  "unresolved-anchor",
  "no-place",
  "outlet",
  ...entryRules,
  "mergeInjected",
  "omitHistory",
  "continueLast",
  "squashSystem",
  "mergeSystemToHead",
  "mergeNeighbours",
  "forceAlternation",
] as const;
/** Why it was dropped, inactive, unmatched or merged. */
export type Rule = (typeof rules)[number];

/** Why an entry of a lorebook came [K2]. */
export interface ActiveReason {
  readonly by: "constant" | "sticky" | "decorator" | "condition" | "given" | "key";
  /** The key that was found, and where. */
  readonly key?: string;
  readonly found?: KeyFound;
  /** In which round of the scan; the first is 1. */
  readonly round: number;
}

/** Where a key was found: in a message of the session, in the value of a variable, in the text of another entry, or elsewhere. */
export type KeyFound =
  | { readonly in: "message"; readonly id: string }
  | { readonly in: "source"; readonly name: string }
  | { readonly in: "entry"; readonly id: string }
  | { readonly in: "anything" };

/** What became of a message that is not sent whole, and its handle. */
export interface Shortened {
  readonly fate: Fate;
  readonly handle: string | undefined;
}

/** Where a preset wants a message: in list order, N messages before the end of history, or beside an anchor. */
export type Place =
  | { readonly kind: "list" }
  | { readonly kind: "depth"; readonly depth: number }
  | { readonly kind: "anchor"; readonly target: string; readonly side: "before" | "after" };

/** One input of a build and what became of it. Every input has exactly one row. */
export interface LedgerRow {
  /** `generated` rows are the build's own additions (a summary, a filler) and stand outside the sum of the inputs. */
  readonly kind: "step" | "entries" | "fragment" | "profile" | "hint" | "message" | "pin" | "earlier" | "generated";
  /**
   * The step's or node's id, or the entry's; `earlier` rows have the compaction's and stand for `count` messages, `entries` rows
   * have the book's and stand for `count` inactive steps.
   */
  readonly id: string;
  readonly role: MessageRole;
  readonly fate: Fate;
  /** Index in the messages that are sent, or nothing when it is not among them. */
  readonly position?: number;
  /** What it costs by itself; nothing when the build was not counted. */
  readonly tokens?: number;
  readonly rule?: Rule;
  /** By which what is not sent whole can be asked for [R1]. */
  readonly handle?: string;
  /** It is pinned: it stays until it is unpinned [R6]. */
  readonly isPinned?: boolean;
  /** How many messages this one row stands for, when it is not one. */
  readonly count?: number;
  /** Where the preset put it; history messages have none. */
  readonly place?: Place;
  /** How many messages it was moved towards the front, so that it does not part a call from its result [C6]. */
  readonly movedBy?: number;
  /** The field of the preset it comes from. */
  readonly path?: string;
  /** Why it came, for a step that comes and goes with the chat. */
  readonly why?: ActiveReason;
  /** How many messages the chat will have when an inactive one may come again. */
  readonly until?: number;
  /** The block whose white space the preset trims as a whole. */
  readonly block?: string;
  /** The group that the preset merges it with. */
  readonly group?: string;
  /** True when the preset keeps it a message of its own. */
  readonly keepApart?: boolean;
  /** True when post-processing gave it another role. */
  readonly roleChanged?: boolean;
}

function rowSchema(): z.ZodType {
  const count = z.number().optional();
  return z.looseObject({
    kind: z.enum(["step", "entries", "fragment", "profile", "hint", "message", "pin", "earlier", "generated"]),
    id: z.string(),
    fate: z.enum(fates),
    // A position that is not a number would name a property of the list, such as its prototype.
    position: z.int().min(0).optional(),
    tokens: count,
    rule: z.enum(rules).optional(),
    count,
    place: z
      .discriminatedUnion("kind", [
        z.looseObject({ kind: z.literal("list") }),
        z.looseObject({ kind: z.literal("depth"), depth: z.number() }),
        z.looseObject({ kind: z.literal("anchor"), target: z.string(), side: z.enum(["before", "after"]) }),
      ])
      .optional(),
    movedBy: count,
    roleChanged: z.boolean().optional(),
  });
}

/** Checks a row once, however often it is looked at. */
export const rowCheck: InputCheck = inputCheck(z.lazy(rowSchema));
export const ledgerCheck: InputCheck = listCheck(rowCheck);

/** The rows behind each message that is sent: `rows[3]` says where the fourth message came from. */
export function provenance(ledger: readonly LedgerRow[]): readonly (readonly LedgerRow[])[] {
  const rows: LedgerRow[][] = [];
  ledgerCheck(ledger, "ledger");
  for (const row of ledger) {
    if (row.position === undefined) continue;
    (rows[row.position] ??= []).push(row);
  }
  return rows;
}
