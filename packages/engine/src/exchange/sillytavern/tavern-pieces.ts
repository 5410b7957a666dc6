import { groupBy } from "../../model/group-by.ts";
import type { InjectionStrategy, MessageTemplate, RecipeStep } from "../../compose/preset/preset.ts";
import type { JsonObject } from "../../model/messages.ts";
import { type FieldReader, readFields } from "../files/read-fields.ts";
import type { TavernRole } from "./tavern-files.ts";

/** A template and its one use, while the order of everything is still being found. */
export interface Piece {
  readonly template: MessageTemplate;
  readonly isEnabled: boolean;
  readonly place: PiecePlace;
}

export type PiecePlace =
  | { readonly kind: "list" }
  /** In the chat. Buckets ascend; then roles; then sources; then the order in which they were added. */
  | { readonly kind: "depth"; readonly depth: number; readonly bucket: number; readonly source: DepthSource }
  /** Beside an anchor, in the order in which they were added. */
  | { readonly kind: "anchor"; readonly target: string; readonly side: "before" | "after" };

export const listPlace: PiecePlace = { kind: "list" };

/** What SillyTavern puts at one depth, in its order within one role. */
const depthSources = ["prompt", "note", "card", "persona", "entry", "entry-without-depth"] as const;
type DepthSource = (typeof depthSources)[number];

/** What SillyTavern trims as one text. */
const blockOf: Readonly<Record<DepthSource, string>> = {
  prompt: "prompts",
  note: "note",
  card: "card",
  persona: "persona",
  entry: "entries",
  "entry-without-depth": "entries-without-depth",
};

/** Models follow what stands near the end most closely: system texts come last. */
const roleOrder: readonly TavernRole[] = ["assistant", "user", "system"];

/** Extensions and world info stand in this bucket. */
export const defaultBucket = 100;

/** Depths beyond this are never looked at by SillyTavern. */
export const deepest = 10_000;

/** A place in the chat, at a depth that SillyTavern looks at. */
export function depthPlace(depth: number, source: DepthSource, bucket = defaultBucket): PiecePlace {
  return { kind: "depth", depth: Math.min(Math.max(0, Math.trunc(depth)), deepest), bucket, source };
}

/** The form in which an import keeps whole documents; earlier ones kept less. */
export const wholeForm = 2;

/** What an import remembers about a template, for the way back. */
export function tavernMetadata(from: string, more: JsonObject = {}): JsonObject {
  return { sillytavern: { from, ...more } };
}

export function tavernMemory({ metadata }: Pick<MessageTemplate, "metadata">): FieldReader {
  return readFields(metadata).fields("sillytavern");
}

/** True for a template that an entry of a book became. */
export function isEntry(template: MessageTemplate | undefined): boolean {
  return template?.activation?.sequence !== undefined || template?.activation?.with !== undefined;
}

/** The steps of a recipe: ranks are given so that "higher order first" is the sequence that SillyTavern sends [X1]. */
export function stepsOf(pieces: readonly Piece[]): RecipeStep[] {
  const ranks = rankPieces(pieces);
  return pieces.map((piece) => {
    const strategy = strategyOf(piece, ranks.get(piece) ?? 0);
    return {
      messageId: piece.template.id,
      enabled: piece.isEnabled,
      ...(strategy ? { injectionStrategy: strategy } : {}),
    };
  });
}

function strategyOf({ place }: Piece, order: number): InjectionStrategy | undefined {
  switch (place.kind) {
    case "list":
      return undefined;
    case "depth":
      return {
        depth: place.depth,
        order,
        ...(place.bucket === defaultBucket ? {} : { group: String(place.bucket) }),
        block: blockOf[place.source],
        leavesWithHistory: true,
      };
    case "anchor":
      return { anchorTarget: place.target, anchorPosition: place.side, order };
  }
}

function rankPieces(pieces: readonly Piece[]): Map<Piece, number> {
  const ranks = new Map<Piece, number>();
  for (const list of groupBy(pieces, placeName).values()) {
    let rank = list.length;
    let before: Piece | undefined;
    for (const piece of list.toSorted(inChatOrder)) {
      if (!before || !isOneRun(before, piece)) rank -= 1;
      ranks.set(piece, rank + 1);
      before = piece;
    }
  }
  return ranks;
}

/** Entries that stand together are ranked by the build, which knows when each came. */
function isOneRun(a: Piece, b: Piece): boolean {
  if (!isEntry(a.template) || !isEntry(b.template) || a.template.role !== b.template.role) return false;
  return a.place.kind !== "depth" || b.place.kind !== "depth" || a.place.source === b.place.source;
}

function placeName({ place }: Piece): string {
  switch (place.kind) {
    case "list":
      return "";
    case "depth":
      return `depth ${place.depth}`;
    case "anchor":
      return `${place.side} ${place.target}`;
  }
}

function inChatOrder(a: Piece, b: Piece): number {
  if (a.place.kind !== "depth" || b.place.kind !== "depth") return 0;
  const role = ({ template }: Piece): number => roleOrder.findIndex((name) => name === template.role);
  return (
    a.place.bucket - b.place.bucket ||
    role(a) - role(b) ||
    depthSources.indexOf(a.place.source) - depthSources.indexOf(b.place.source)
  );
}
