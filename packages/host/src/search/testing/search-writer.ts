// A process of its own for the tests of the archive search: puts, replaces and removes archives while others do the same.
import { type ArchiveDocument, openArchiveSearch } from "../archive-search.ts";

const [file = "", name = "", rounds = "0"] = process.argv.slice(2);
const search = openArchiveSearch(file);
const documentOf = (id: string, content: string): ArchiveDocument => {
  return { contextId: id, title: id, archivedAt: "2026-01-01T00:00:00.000Z", messages: [{ role: "user", content }] };
};
for (let round = 0; round < Number(rounds); round += 1) {
  search.put(documentOf(`${name}${round}`, `first words of ${name} 第${round}次`), "1");
  search.put(documentOf(`${name}${round}`, `second words of ${name} 共同的文字`), "2");
  if (round % 2 === 1) search.remove(`${name}${round}`);
  search.search("words");
}
search.close();
