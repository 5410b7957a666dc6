import type { Problem } from "../../model/check/errors.ts";
import type { WireNote, WireNoteCode } from "./wire-input.ts";

/** Where a part stands in the messages that went in. */
export interface PartPlace {
  readonly message: number;
  readonly index: number;
}

export function pathOf({ message, index }: PartPlace): string {
  return `messages[${message}].content[${index}]`;
}

/** Collects what an exporter decides on its way. */
export interface WireReport {
  readonly notes: readonly WireNote[];
  readonly problems: readonly Problem[];
  /** Notes a thing once per message, however often it comes up. */
  readonly noteMessage: (message: number, what: WireNoteCode, detail?: string) => void;
  readonly notePart: (place: PartPlace, what: WireNoteCode, detail?: string) => void;
  /** Records that a part cannot be sent; the exporter then goes on without it. */
  readonly refuse: (place: PartPlace, message: string, hint: string) => void;
  readonly refuseAt: (path: string, message: string, hint: string) => void;
}

export function wireReport(): WireReport {
  const notes: WireNote[] = [];
  const problems: Problem[] = [];
  const noted = new Set<string>();
  const withDetail = (note: WireNote, detail: string | undefined): WireNote =>
    detail === undefined ? note : { ...note, detail };
  const refuseAt = (path: string, message: string, hint: string): void => {
    problems.push({ severity: "error", code: "WireInvalid", message, path, hint });
  };
  return {
    notes,
    problems,
    noteMessage: (message, what, detail) => {
      const key = `${message} ${what}`;
      if (noted.has(key)) return;
      noted.add(key);
      notes.push(withDetail({ message, what }, detail));
    },
    notePart: ({ message, index }, what, detail) => {
      notes.push(withDetail({ message, what, part: index }, detail));
    },
    refuse: ({ message, index }, text, hint) => {
      refuseAt(pathOf({ message, index }), text, hint);
    },
    refuseAt,
  };
}
