import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Clauses of parts that are not built yet, by name. A clause that gets its test leaves this list. */
const waiting = ["C15", "P4", "X3"];

const spec = readFileSync(`${root}docs/spec.md`, "utf8");
const clauses = [...spec.matchAll(/^- ([A-Z]\d+[a-z]?) /gm)].map(([, clause = ""]) => clause);
const tests = globSync("{packages/*/src,packages/host/faults,scripts,lint}/**/*.{test,suite}.ts", { cwd: root })
  .filter((file) => !file.endsWith("spec-citations.test.ts"))
  .map((file) => readFileSync(root + file, "utf8"))
  .join("\n");
const cited = new Set([...tests.matchAll(/\[([A-Z]\d+[a-z]?)\]/g)].map(([, clause = ""]) => clause));
const wholeOf = (clause: string): string => clause.replace(/[a-z]$/, "");

/** A part (C12a) is cited by its own name or by its clause's (C12); a clause by its own name or by that of a part. */
const isCited = (clause: string): boolean =>
  cited.has(clause) || cited.has(wholeOf(clause)) || [...cited].some((name) => wholeOf(name) === clause);

test("every clause of the specification is cited by a test, or waits by name", () => {
  expect(clauses.length).toBeGreaterThan(70);
  expect(clauses.filter((clause) => !isCited(clause))).toEqual(waiting.filter((clause) => !isCited(clause)));
});

test("no clause waits that has its test", () => {
  expect(waiting.filter(isCited)).toEqual([]);
});

test("no number is given twice, every part belongs to a clause, and every citation finds its clause", () => {
  const known = new Set(clauses);
  expect(clauses.filter((clause, index) => clauses.indexOf(clause) !== index)).toEqual([]);
  expect(clauses.filter((clause) => !known.has(wholeOf(clause)))).toEqual([]);
  expect([...cited].filter((clause) => !known.has(clause))).toEqual([]);
});
