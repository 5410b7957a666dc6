import * as z from "zod";
import { type InputCheck, inputCheck, listCheck } from "./check-input.ts";
import type { MessageRole } from "./messages.ts";

const fates = [
  "dropped",
  "disabled",
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

const rules = [
  "limit",
  "duplicate",
  "empty",
  "orphan",
  "redacted",
  "unresolved-anchor",
  "no-place",
  "mergeInjected",
  "omitHistory",
  "continueLast",
  "squashSystem",
  "mergeSystemToHead",
  "mergeNeighbours",
  "forceAlternation",
] as const;
/** Why it was dropped, unmatched or merged. */
export type Rule = (typeof rules)[number];

/** Where a preset wants a message: in list order, N messages before the end of history, or beside an anchor. */
export type Place =
  | { readonly kind: "list" }
  | { readonly kind: "depth"; readonly depth: number }
  | { readonly kind: "anchor"; readonly target: string; readonly side: "before" | "after" };

/** One input of a build and what became of it. Every input has exactly one row. */
export interface LedgerRow {
  /** `generated` rows are the build's own additions (a summary, a filler) and stand outside the sum of the inputs. */
  readonly kind: "step" | "fragment" | "profile" | "hint" | "message" | "earlier" | "generated";
  /** The step's or node's id, or the entry's; `earlier` rows have the compaction's and stand for `count` messages. */
  readonly id: string;
  readonly role: MessageRole;
  readonly fate: Fate;
  /** Index in the messages that are sent, or nothing when it is not among them. */
  readonly position?: number;
  /** What it costs by itself; nothing when the build was not counted. */
  readonly tokens?: number;
  readonly rule?: Rule;
  /** How many messages this one row stands for, when it is not one. */
  readonly count?: number;
  /** Where the preset put it; history messages have none. */
  readonly place?: Place;
  /** How many messages it was moved towards the front, so that it does not part a call from its result [C6]. */
  readonly movedBy?: number;
  /** The field of the preset it comes from. */
  readonly path?: string;
  /** The group that the preset merges it with. */
  readonly group?: string;
  /** True when the preset keeps it a message of its own. */
  readonly keepApart?: boolean;
  /** True when post-processing gave it another role. */
  readonly roleChanged?: boolean;
}

// A position that is not a number would name a property of the list, such as its prototype.
const position = z.int().min(0).optional();
const count = z.number().optional();

/** Checks a row once, however often it is looked at. */
export const rowCheck: InputCheck = inputCheck(
  z.looseObject({
    kind: z.enum(["step", "fragment", "profile", "hint", "message", "earlier", "generated"]),
    id: z.string(),
    fate: z.enum(fates),
    position,
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
  }),
);
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
