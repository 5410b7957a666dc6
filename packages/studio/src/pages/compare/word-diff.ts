import { diffArrays } from "diff";

/** A stretch of text and the side that has it. */
export interface DiffPiece {
  readonly side: "both" | "left" | "right";
  readonly text: string;
}

// With more edits than this, single words are not readable; whole lines are compared then, and beyond that the whole text.
const maxEdits = 1000;

const words = new Intl.Segmenter("zh", { granularity: "word" });

/** Compares two texts word by word; Chinese, which has no spaces, is parted into words by the platform's dictionary. */
export function wordDiff(left: string, right: string): readonly DiffPiece[] {
  if (left === right) return left === "" ? [] : [{ side: "both", text: left }];
  return (
    piecesOf(wordsOf(left), wordsOf(right)) ??
    piecesOf(linesOf(left), linesOf(right)) ?? [
      { side: "left", text: left },
      { side: "right", text: right },
    ]
  );
}

function wordsOf(text: string): string[] {
  return Array.from(words.segment(text), ({ segment }) => segment);
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function piecesOf(left: string[], right: string[]): readonly DiffPiece[] | undefined {
  const changes = diffArrays(left, right, { maxEditLength: maxEdits });
  return changes?.map(({ value, added, removed }) => ({
    side: added ? "right" : removed ? "left" : "both",
    text: value.join(""),
  }));
}
