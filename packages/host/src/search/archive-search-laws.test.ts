import { rmSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { archiveOf, idsOf, tempIndex } from "./testing/archive-search.ts";
import { type ArchiveDocument, type ArchiveSearch, openArchiveSearch } from "./archive-search.ts";

const words = ["cat", "catalog", "Redis", "数据库", "迁移", "库", "データ", "학교", "ＷＩＤＥ", "2026", "naïve", "🎉"];
const phrase = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((list) => list.join(" "));
const document = fc.record({
  contextId: fc.constantFrom("a", "b", "c", "d", "e"),
  title: phrase,
  summary: phrase,
  messages: fc.array(phrase, { maxLength: 3 }),
});

function toArchive({
  contextId,
  title,
  summary,
  messages,
}: {
  contextId: string;
  title: string;
  summary: string;
  messages: string[];
}): ArchiveDocument {
  return archiveOf(contextId, "", { title, summary, messages: messages.map((content) => ({ role: "user", content })) });
}

/** What a user can see of an index: the answers to every word. */
function answersOf(search: ArchiveSearch): unknown {
  return words.map((word) => search.search(word, { limit: 100 }));
}

function withIndex(work: (search: ArchiveSearch) => void): void {
  const file = tempIndex();
  const search = openArchiveSearch(file);
  try {
    work(search);
  } finally {
    search.close();
    rmSync(file);
  }
}

test("[W8] every archive is found by each of its words and by each of its characters", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 30 });
  const law = fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
    withIndex((search) => {
      search.put(archiveOf("a", "", { messages: texts.map((content) => ({ role: "user", content })) }), "1");
      search.put(archiveOf("b", "another one"), "1");
      for (const content of texts.map((text) => text.normalize("NFKC"))) {
        for (const word of content.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [])
          expect(idsOf(search, word)).toContain("a");
        for (const sign of content.match(/\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Hangul}/gu) ?? [])
          expect(idsOf(search, sign)).toContain("a");
      }
    });
  });
  fc.assert(law, { numRuns: 60 });
});

test("[W8] putting an archive twice is putting it once", () => {
  const law = fc.property(fc.array(document, { minLength: 1, maxLength: 4 }), (documents) => {
    withIndex((search) => {
      for (const each of documents) search.put(toArchive(each), "1");
      const before = answersOf(search);
      search.put(toArchive(documents.at(-1)!), "1");
      expect(answersOf(search)).toEqual(before);
    });
  });
  fc.assert(law, { numRuns: 30 });
});

test("[W8] an index that was changed bit by bit answers as one that was built at once", () => {
  const step = fc.oneof(
    fc.record({ put: document }),
    fc.record({ remove: fc.constantFrom("a", "b", "c", "d", "e") }),
    fc.record({ reconcile: fc.uniqueArray(document, { selector: ({ contextId }) => contextId }) }),
  );
  const law = fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
    const state = new Map<string, ArchiveDocument>();
    const stamp = (archive: ArchiveDocument | undefined): string => JSON.stringify(archive);
    withIndex((search) => {
      for (const each of steps) {
        if ("put" in each) {
          const archive = toArchive(each.put);
          state.set(archive.contextId, archive);
          search.put(archive, stamp(archive));
        } else if ("remove" in each) {
          state.delete(each.remove);
          search.remove(each.remove);
        } else {
          state.clear();
          for (const archive of each.reconcile.map(toArchive)) state.set(archive.contextId, archive);
          const listed = [...state].map(([contextId, archive]) => ({ contextId, stamp: stamp(archive) }));
          search.reconcile(listed, (id) => state.get(id));
        }
      }
      withIndex((fresh) => {
        for (const archive of state.values()) fresh.put(archive, stamp(archive));
        expect(answersOf(search)).toEqual(answersOf(fresh));
      });
    });
  });
  fc.assert(law, { numRuns: 25 });
});
