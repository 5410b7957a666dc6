import { GalleyError } from "@galley/engine";
import { exists } from "../disk/data-files.ts";
import { immediate } from "../disk/open-sqlite.ts";
import { runAtOnce } from "../limits/in-slices.ts";
import { archiveSnippet } from "./archive-snippet.ts";
import { findCandidates } from "./candidates.ts";
import { type ArchiveTexts, scoreArchive } from "./rank-archive.ts";
import { type FileToSearch, type Progress, type Reconciled, reconcileIndex, stampsOf } from "./reconcile-index.ts";
import {
  type SearchFile,
  isIndexDamage,
  isReplaced,
  openSearchFile,
  purgeRemains,
  rebuildReason,
  replaceDamagedFile,
} from "./search-file.ts";
import { type SearchQuery, parseQuery } from "./search-query.ts";
import { type SearchRow, putRow, removeRow, unpack } from "./search-rows.ts";

/** An archived context as the search takes it in. */
export interface ArchiveDocument {
  readonly contextId: string;
  readonly title: string;
  readonly summary?: string;
  readonly archivedAt: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export interface ArchiveMatch {
  readonly contextId: string;
  readonly title: string;
  readonly archivedAt: string;
  /** From 0.01 to 1, as `scoreArchive` says: 1 is the whole query in the title, below 0.55 some of it is missing. */
  readonly score: number;
  /** The place that was found, as it was written. */
  readonly snippet: string;
  /** Which message it stands in, counted from 0; absent where only the title or the summary has it. */
  readonly message?: number;
}

interface ArchiveSearchOptions {
  /** Default 5. */
  readonly limit?: number;
  /** Contexts that are left out. */
  readonly exclude?: readonly string[];
}

/** Full-text search over the archives of a chat. Derived from their files; several processes may use one index file. */
export interface ArchiveSearch {
  /** Inserts or replaces; nothing of what was replaced stays in the index file. */
  put(document: ArchiveDocument, stamp: string): void;
  /** Nothing of the archive stays in the index file. */
  remove(contextId: string): void;
  /** The best matches first; of equal ones the newest. An index that was damaged throws `IndexDamaged` until it is reconciled. */
  search(query: string, options?: ArchiveSearchOptions): readonly ArchiveMatch[];
  /** The same in steps: the documents that may answer are looked at one by one. */
  searchSteps(query: string, options?: ArchiveSearchOptions): Generator<undefined, readonly ArchiveMatch[]>;
  /** Makes the index equal to the files: reads only documents whose stamp is new, or that are in the index and not among the files. */
  reconcile(
    files: Iterable<FileToSearch>,
    read: (contextId: string) => ArchiveDocument | undefined,
    onProgress?: Progress,
  ): Reconciled;
  /** The stamp of everything that is in the index, by id. */
  stamps(): ReadonlyMap<string, string>;
  close(): void;
}

/** Opens the index, or makes it. One that is damaged, older or newer is emptied; `reconcile` fills it again and says so. */
export function openArchiveSearch(file: string): ArchiveSearch {
  let opened = openSearchFile(file);
  const reopen = (open: (file: string) => SearchFile): void => {
    if (opened.db.isOpen) opened.db.close();
    opened = open(file);
  };
  /** Runs `work`; when the file turns out to be damaged, once more on another: an empty one, or what another process put there. */
  const use = <Result>(work: (opened: SearchFile) => Result): Result => {
    if (isReplaced(file, opened.inode)) reopen(exists(file) ? openSearchFile : replaceDamagedFile);
    try {
      return work(opened);
    } catch (error) {
      if (!isIndexDamage(error)) throw error;
      reopen(isReplaced(file, opened.inode) && exists(file) ? openSearchFile : replaceDamagedFile);
      return work(opened);
    }
  };
  const change = (work: (opened: SearchFile) => void): void =>
    use((opened) => {
      immediate(opened.db, () => work(opened));
      purgeRemains(opened.db);
    });
  /** Nothing of an index that was emptied is an answer. */
  const useWhole = <Result>(work: (opened: SearchFile) => Result): Result => {
    const done = use((opened) => (rebuildReason(opened.db) === "damaged" ? undefined : { result: work(opened) }));
    if (done) return done.result;
    throw new GalleyError("IndexDamaged", `The search index ${file} was damaged and had to be emptied.`, {
      hint: "Reconcile it with the archives, then search again.",
      retryable: true,
    });
  };
  return {
    put: (document, stamp) => change(({ db, terms }) => putRow(db, toRow(document, stamp), terms)),
    remove: (contextId) => change(({ db, terms }) => removeRow(db, contextId, terms)),
    search: (query, options) => runAtOnce(searchIndex(useWhole, query, options)),
    searchSteps: (query, options) => searchIndex(useWhole, query, options),
    reconcile: (files, read, onProgress) => {
      const listed = [...files];
      const readRow = ({ contextId, stamp }: FileToSearch): SearchRow | undefined => {
        const document = read(contextId);
        // The file's name counts: what was copied in from elsewhere may carry another id.
        return document && toRow({ ...document, contextId }, stamp);
      };
      return use((opened) => reconcileIndex(opened, listed, readRow, onProgress));
    },
    stamps: () => use(({ db }) => stampsOf(db)),
    close: () => {
      if (opened.db.isOpen) opened.db.close();
    },
  };
}

function* searchIndex(
  use: <Result>(work: (opened: SearchFile) => Result) => Result,
  text: string,
  { limit = 5, exclude = [] }: ArchiveSearchOptions = {},
): Generator<undefined, readonly ArchiveMatch[]> {
  const query = use(({ db, terms }) => parseQuery(text, db, terms));
  if (!query) return [];
  const excluded = new Set(exclude);
  const matches: Match[] = [];
  for (const id of use(({ db }) => findCandidates(db, query, limit + exclude.length))) {
    yield;
    const match = use(({ db }) => matchOf(db, id, query, excluded));
    if (match) matches.push(match);
  }
  const found: ArchiveMatch[] = [];
  for (const { contextId, archivedAt, texts, score } of matches.toSorted(byScoreThenAge).slice(0, limit)) {
    yield;
    found.push({ contextId, title: texts.title, archivedAt, score, ...archiveSnippet(texts, query) });
  }
  return found;
}

function matchOf(
  db: SearchFile["db"],
  id: number,
  query: SearchQuery,
  excluded: ReadonlySet<string>,
): Match | undefined {
  const named = db.prepare("SELECT context_id, archived_at FROM archives WHERE id = ?").get(id);
  // Another process may have removed it in between.
  if (!named || excluded.has(String(named["context_id"]))) return undefined;
  const row = db.prepare("SELECT packed FROM texts WHERE id = ?").get(id);
  if (!row) return undefined;
  const texts = unpack(row["packed"]);
  const score = scoreArchive(texts, query);
  if (score === 0) return undefined;
  return { contextId: String(named["context_id"]), archivedAt: String(named["archived_at"]), texts, score };
}

interface Match {
  readonly contextId: string;
  readonly archivedAt: string;
  readonly texts: ArchiveTexts;
  readonly score: number;
}

function byScoreThenAge(a: Match, b: Match): number {
  return b.score - a.score || compareText(b.archivedAt, a.archivedAt) || compareText(a.contextId, b.contextId);
}

function toRow({ contextId, title, summary = "", archivedAt, messages }: ArchiveDocument, stamp: string): SearchRow {
  return { contextId, stamp, archivedAt, texts: { title, summary, messages: messages.map(({ content }) => content) } };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
