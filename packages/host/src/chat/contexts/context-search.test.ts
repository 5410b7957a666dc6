import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { archiveIndex } from "./archive-index.ts";
import { chatPaths } from "../lines/chat-paths.ts";
import { chatWith } from "../testing/temp-chat.ts";
import { contextSearch } from "./context-search.ts";
import { doctor } from "../doctor/doctor.ts";
import { redactionReader } from "../lines/redactions.ts";

test("[W8] what the disk refuses of the index is said in our words, by a search and by a refresh", async () => {
  const chat = await chatWith(["a", "b"]);
  await chat.newContext();
  const paths = { ...chatPaths(chat.folder), chatKey: "demo" };
  // A damaged index is made again, but not where what lies beside it cannot be removed.
  writeFileSync(paths.search, "not a database ".repeat(1000));
  mkdirSync(`${paths.search}-shm`);
  const redactions = redactionReader(paths.redactions);
  const search = contextSearch(paths, archiveIndex(paths, redactions), redactions);
  const refused = { code: "UnsafePath", path: `${paths.search}-shm` };
  await expect(search.find("a", { limit: 5, exclude: [] })).rejects.toMatchObject(refused);
  await expect(search.refresh()).rejects.toMatchObject(refused);
  expect(await doctor(join(chat.folder, "../.."), { fix: true })).toMatchObject([{ left: [refused] }]);
  search.close();
});
