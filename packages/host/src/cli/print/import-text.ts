import { type ImportedSession, counted, uncounted } from "@galley/engine/logs";
import type { ImportNote } from "@galley/engine/sillytavern";
import { elastic, numbers, renderTable } from "../terminal/table.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";
import { notesText } from "./notes-text.ts";

/** What logs became: the sessions, and what was converted, repaired and not supported. */
export function importText(
  sessions: readonly ImportedSession[],
  notes: readonly ImportNote[],
  terminal: Terminal,
): string {
  const style = styleFor(terminal);
  const rest = summed(notes.filter(({ fate }) => fate !== "kept"));
  const compacted = sessions.find(({ counts }) => counts.compactions > 0);
  const next = compacted ? `\n${style.dim("what it forgot:")} galley lost ${compacted.id}\n` : "";
  return `${renderTable(sessions, terminal, {
    session: "id",
    title: elastic("title"),
    messages: numbers(({ counts }) => counts.messages.toLocaleString("en-US")),
    calls: numbers(({ counts }) => counts.calls.toLocaleString("en-US")),
    compactions: numbers(({ counts }) => counts.compactions.toLocaleString("en-US")),
    new: numbers(({ added }) => added.toLocaleString("en-US")),
  })}\n\n${notesText(rest, terminal)}${next}`;
}

/** Of many files, notes of one kind are one note with the sum; damaged lines stay as they are. */
function summed(notes: readonly ImportNote[]): readonly ImportNote[] {
  const groups = new Map<string, { readonly note: ImportNote; count: number; files: number }>();
  for (const note of notes) {
    const { count, what } = uncounted(note.message) ?? { count: 0, what: note.message };
    const key = count === 0 ? JSON.stringify(note) : JSON.stringify([note.fate, what]);
    const group = groups.get(key) ?? { note: { ...note, message: what }, count: 0, files: 0 };
    groups.set(key, group);
    group.count += count;
    group.files += 1;
  }
  return [...groups.values()].map(({ note, count, files }) => ({
    ...note,
    path: files > 1 ? "" : note.path,
    message: count > 0 ? counted(count, note.message) : note.message,
  }));
}
