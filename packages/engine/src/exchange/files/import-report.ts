import { type InputCheck, wrongInput } from "../../model/check/input.ts";
import { GalleyError } from "../../model/check/errors.ts";

/** What became of a part of an imported file. */
export interface ImportNote {
  readonly fate: "kept" | "converted" | "repaired" | "unsupported";
  /** The file, and the field in it. */
  readonly path: string;
  readonly message: string;
}

/** Gathers notes while a file is read. */
export interface ImportReport {
  readonly notes: readonly ImportNote[];
  kept(path: string, message: string): void;
  converted(path: string, message: string): void;
  /** Something was wrong, and what was meant is plain. */
  repaired(path: string, message: string): void;
  unsupported(path: string, message: string): void;
  /** The same report, with this before every path. */
  at(prefix: string): ImportReport;
}

/** Notes of one fate past this number say nothing new; one more tells how many there were. */
const maxNotes = 1000;

/** Collects what an import or an export repaired, converted or left out. */
export function importReport(): ImportReport {
  const notes: ImportNote[] = [];
  const counts = { kept: 0, converted: 0, repaired: 0, unsupported: 0 };
  const overflow = new Map<ImportNote["fate"], number>();
  const add = (fate: ImportNote["fate"], path: string, message: string): void => {
    counts[fate] += 1;
    const more = counts[fate] - maxNotes;
    if (more <= 0) {
      notes.push({ fate, path, message });
      return;
    }
    const at = overflow.get(fate) ?? notes.length;
    overflow.set(fate, at);
    notes[at] = { fate, path: "", message: `There are ${more} more notes of this kind.` };
  };
  const scoped = (prefix: string): ImportReport => {
    const report: ImportReport = {
      notes,
      kept: (path, message) => add("kept", prefix + path, message),
      converted: (path, message) => add("converted", prefix + path, message),
      repaired: (path, message) => add("repaired", prefix + path, message),
      unsupported: (path, message) => add("unsupported", prefix + path, message),
      at: (path) => scoped(prefix + path),
    };
    knownReports.add(report);
    return report;
  };
  return scoped("");
}

const knownReports = new WeakSet<object>();

export const reportCheck: InputCheck = (value, path) => {
  const hint = "importReport() makes one.";
  if (!knownReports.has(value as object)) throw wrongInput(path, "a report", value, { hint });
};

/** For a file that cannot be read at all, with what a person can do about it. */
export function importFailed(message: string, hint?: string): GalleyError {
  return new GalleyError("ImportFailed", message, { hint });
}
