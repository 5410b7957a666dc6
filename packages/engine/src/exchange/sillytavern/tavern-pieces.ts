import type { InjectionStrategy, MessageTemplate, RecipeStep } from "../../compose/preset/preset.ts";
import type { JsonObject } from "../../model/messages.ts";
import type { TavernRole } from "./tavern-files.ts";

/** A template and its one use, while the order of everything is still being found. */
export interface Piece {
  readonly template: MessageTemplate;
  readonly isEnabled: boolean;
  readonly place: PiecePlace;
  /** Said instead of the template's content, where the use and not the text asks for it. */
  override?: string;
}

export type PiecePlace =
  | { readonly kind: "list" }
  /** In the chat. Buckets ascend; then roles; then sources; then the order in which they were added. */
  | { readonly kind: "depth"; readonly depth: number; readonly bucket: number; readonly source: DepthSource }
  /** Beside an anchor, in the order in which they were added. */
  | { readonly kind: "anchor"; readonly target: string; readonly side: "before" | "after" };

/** What SillyTavern puts at one depth, in its order within one role. */
const depthSources = ["prompt", "note", "card", "persona", "entry", "entry-without-depth"] as const;
type DepthSource = (typeof depthSources)[number];

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

/** What an import remembers about a template, for the way back. */
export function tavernMetadata(from: string, more: JsonObject = {}): JsonObject {
  return { sillytavern: { from, ...more } };
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
      ...(piece.override === undefined ? {} : { overrides: { content: piece.override } }),
    };
  });
}

function strategyOf({ place }: Piece, order: number): InjectionStrategy | undefined {
  switch (place.kind) {
    case "list":
      return undefined;
    case "depth":
      return { depth: place.depth, order, ...(place.bucket === defaultBucket ? {} : { group: String(place.bucket) }) };
    case "anchor":
      return { anchorTarget: place.target, anchorPosition: place.side, order };
  }
}

function rankPieces(pieces: readonly Piece[]): Map<Piece, number> {
  const ranks = new Map<Piece, number>();
  for (const list of Map.groupBy(pieces, placeName).values()) {
    for (const [index, piece] of list.toSorted(inChatOrder).entries()) ranks.set(piece, list.length - index);
  }
  return ranks;
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

/** SillyTavern trims the joined entries of one depth and role, so that the first and the last lose their outer space. */
export function trimEnds(pieces: readonly Piece[]): readonly Piece[] {
  const places = Map.groupBy(
    pieces.filter((piece) => piece.isEnabled),
    ({ template, place }) => (place.kind === "depth" ? `${template.role} ${place.depth} ${place.source}` : ""),
  );
  const ends = new Map<Piece, string>();
  for (const list of places.values()) {
    const [first, last] = [list[0], list.at(-1)];
    if (first) ends.set(first, (first.template.content ?? "").trimStart());
    if (last) ends.set(last, (ends.get(last) ?? last.template.content ?? "").trimEnd());
  }
  return pieces.map((piece) => withContent(piece, ends.get(piece)));
}

/** Both texts are remembered, so that an export can tell an edit from the import's work. */
function withContent(piece: Piece, content: string | undefined): Piece {
  const { template } = piece;
  if (content === undefined || content === template.content) return piece;
  const memory = {
    ...(template.metadata?.["sillytavern"] as JsonObject),
    content: template.content,
    imported: content,
  };
  return { ...piece, template: { ...template, content, metadata: { sillytavern: memory } } };
}
