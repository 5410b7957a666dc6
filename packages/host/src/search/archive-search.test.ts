import { expect, test } from "vitest";
import { archiveOf, idsOf, tempSearch } from "./testing/archive-search.ts";
import type { ArchiveMatch } from "./archive-search.ts";

const library = [
  archiveOf("a", "我们讨论了 PostgreSQL 的数据库迁移方案，以及 Redis集群。", { title: "数据库迁移" }),
  archiveOf("b", "The deploy of galley failed on Ｆｒｉｄａｙ… we rolled back", { title: "Deployment notes" }),
  archiveOf("c", "我家的猫很可爱，猫喜欢睡觉", { summary: "一只猫的日常" }),
  archiveOf("d", "東京のデータベースを設計する", { title: "データベース" }),
  archiveOf("e", "오늘 학교에서 한국어를 배웠다 🎉"),
  archiveOf("f", "C# and F# are languages; the galley is a ship's kitchen"),
];

test.each([
  ["a Chinese word", "数据库", ["a"]],
  ["one Chinese character at the end of a run", "库", ["a"]],
  ["one Chinese character in the middle", "可", ["c"]],
  ["a Chinese sentence of which a part is there", "数据库迁移失败了吗", ["a"]],
  ["two Chinese words that stand apart", "集群 迁移", ["a"]],
  ["mixed text without a space", "redis集群", ["a"]],
  ["mixed text in another order", "集群redis", ["a"]],
  ["an English word in any case", "FRIDAY", ["b"]],
  ["an English word in full width", "ｆｒｉｄａｙ", ["b"]],
  ["the beginning of a word", "dep", ["b"]],
  ["the long beginning of a word", "deploymen", ["b"]],
  ["a longer word than there is", "deployments", []],
  ["the end of a word", "gresql", []],
  ["a word that two have", "galley", ["f", "b"]],
  ["Japanese", "データ", ["d"]],
  ["Japanese in half width", "ﾃﾞｰﾀ", ["d"]],
  ["Kanji and Kana together", "設計す", ["d"]],
  ["Korean without its particle", "학교", ["e"]],
  ["one syllable of Korean", "배", ["e"]],
  ["a pictograph", "🎉", ["e"]],
  ["a sign that tells two alike apart", "c#", ["f"]],
  ["words that nobody wrote", "quantum 量子", []],
])("[W8] finds %s", (_, query, expected) => {
  const search = tempSearch();
  for (const document of library) search.put(document, "1");
  expect(idsOf(search, query)).toEqual(expected);
});

test.each([
  "",
  "   ",
  "!!!",
  "，。、",
  "*",
  '"',
  '"; DROP TABLE archives; --',
  "title : x",
  "NEAR(x y)",
  "AND",
  "a AND",
  "NOT cats",
  "-cats",
  "^cats",
  "{title} : cats",
  "(",
  "cats\u0000dogs",
  "\ud83d",
  "x".repeat(100_000),
  "数据库".repeat(50_000),
  "'".repeat(1000),
])("[W8] the query %j is text and nothing else", (query) => {
  const search = tempSearch();
  search.put(archiveOf("a", "cats and dogs"), "1");
  const before = idsOf(search, "dogs");
  const found = idsOf(search, query);
  expect(found).toEqual(/cats|AND/i.test(query) ? ["a"] : []);
  expect(idsOf(search, "dogs")).toEqual(before);
});

test("[W8] title before summary before messages, often before once, all parts before some", () => {
  const search = tempSearch();
  const filler = "这里说的是完全不同的事情。".repeat(20);
  search.put(archiveOf("a", filler, { title: "预算会议" }), "1");
  search.put(archiveOf("b", filler, { summary: "关于预算的讨论" }), "1");
  search.put(archiveOf("c", `${filler}预算很紧。预算不够，预算要改，预算太少。`), "1");
  search.put(archiveOf("d", `${filler}预算。`), "1");
  search.put(archiveOf("e", filler), "1");
  expect(idsOf(search, "预算")).toEqual(["a", "b", "c", "d"]);
  search.put(archiveOf("f", `${filler}预算和审计`), "1");
  const [best, ...others] = search.search("预算 审计");
  expect(best).toMatchObject({ contextId: "f" });
  expect(best?.score).toBeGreaterThanOrEqual(0.6);
  for (const other of others) expect(other.score).toBeLessThan(0.6);
});

test("[W8] what stands together as in the query comes first", () => {
  const search = tempSearch();
  search.put(archiveOf("a", "the context engine"), "1");
  search.put(archiveOf("b", "the engine has a context"), "1");
  expect(idsOf(search, "context engine")).toEqual(["a", "b"]);
});

test("[W8] of equally good ones the newest is first", () => {
  const search = tempSearch();
  for (const id of ["b", "d", "a", "c"]) search.put(archiveOf(id, "the same words"), "1");
  expect(idsOf(search, "same")).toEqual(["d", "c", "b", "a"]);
});

test("[W4] the answer holds alternatives with scores, at most as many as asked for, and not those that are excluded", () => {
  const search = tempSearch();
  for (const [index, id] of ["a", "b", "c", "d", "e", "f", "g"].entries()) {
    search.put(archiveOf(id, `cats ${"cats ".repeat(index * 3)}`), "1");
  }
  const matches: readonly ArchiveMatch[] = search.search("cats", { limit: 100 });
  const scores = matches.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(new Set(scores).size).toBeGreaterThan(3);
  for (const score of scores) expect(Math.round(score * 100) / 100).toBe(score);
  expect(search.search("cats")).toHaveLength(5);
  expect(search.search("cats", { limit: 2, exclude: ["g", "f", "nobody"] }).map((match) => match.contextId)).toEqual([
    "e",
    "d",
  ]);
  expect(search.search("cats", { exclude: ["a", "b", "c", "d", "e", "f", "g"] })).toEqual([]);
  expect(search.search("cats", { limit: 0 })).toEqual([]);
});

test.each([
  [
    "the place itself",
    `${"x ".repeat(200)}the needle is here${" y".repeat(200)}`,
    "needle",
    /^….*the needle is here.*…$/u,
  ],
  ["as it was written", "他说：“ＮＥＥＤＬＥ……在这里！”", "needle", /^他说：“ＮＥＥＤＬＥ……在这里！”$/u],
  ["in one line", "one\n\n\ttwo   needle\r\nthree", "needle", /^one two needle three$/u],
  ["behind signs that fold into more", `${"…㎏".repeat(300)}针在这里`, "针", /针在这里$/u],
  ["no half of a pair", `${"😀".repeat(100)}needle${"😀".repeat(100)}`, "needle", /^…(?:😀)+needle(?:😀)+…$/u],
  [
    "where the query stands together",
    `engine ${"z ".repeat(200)} context engine`,
    "context engine",
    /context engine$/u,
  ],
])("[W4] a snippet shows %s", (_, content, query, expected) => {
  const search = tempSearch();
  search.put(archiveOf("a", content), "1");
  const [match] = search.search(query);
  expect(match?.snippet).toMatch(expected);
  expect(match?.snippet.length).toBeLessThanOrEqual(163);
});

test("[W4] when only the title answers, the snippet is the summary's beginning or the first message's", () => {
  const search = tempSearch();
  search.put(archiveOf("a", "hello", { title: "猫", summary: "about an animal" }), "1");
  search.put(archiveOf("b", "hello", { title: "猫" }), "1");
  expect(search.search("猫").map(({ title, snippet }) => [title, snippet])).toEqual([
    ["猫", "hello"],
    ["猫", "about an animal"],
  ]);
});

test("[W8] contents with NUL, lone surrogates and megabytes are found and come back whole", () => {
  const search = tempSearch();
  const title = "a\u0000b \ud800 title";
  search.put(archiveOf("a", `cats\u0000dogs \udfff ${"数据 word ".repeat(200_000)} needle`, { title }), "1");
  expect(search.search("dogs")[0]).toMatchObject({ contextId: "a", title });
  expect(idsOf(search, "needle")).toEqual(["a"]);
  search.remove("a");
  expect(idsOf(search, "needle")).toEqual([]);
});
