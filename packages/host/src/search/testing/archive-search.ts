import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ArchiveDocument, type ArchiveSearch, openArchiveSearch } from "../archive-search.ts";

/** A path for an index in a folder that goes away with the test. */
export function tempIndex(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-search-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "search.sqlite");
}

/** A new index, closed with the test. */
export function tempSearch(file = tempIndex()): ArchiveSearch {
  const search = openArchiveSearch(file);
  onTestFinished(() => search.close());
  return search;
}

/** An archive of one message; later ids are newer. */
export function archiveOf(contextId: string, content: string, rest: Partial<ArchiveDocument> = {}): ArchiveDocument {
  const minute = String(contextId.charCodeAt(0) % 60).padStart(2, "0");
  const archivedAt = `2026-01-01T00:${minute}:00.000Z`;
  return { contextId, title: "", archivedAt, messages: [{ role: "user", content }], ...rest };
}

/** The ids that a query finds, the best first. */
export function idsOf(search: ArchiveSearch, query: string, limit = 100): string[] {
  return search.search(query, { limit }).map(({ contextId }) => contextId);
}
