import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Clauses of parts that are not built yet, by name. A clause that gets its test leaves this list. */
const waiting = ["C15", "P4", "X2", "X3"];

const spec = readFileSync(`${root}docs/spec.md`, "utf8");
const clauses = [...spec.matchAll(/^- ([A-Z]\d+[a-z]?) /gm)].map((match) => match[1]);
const tests = globSync("{packages/*/src,packages/host/faults,scripts,lint}/**/*.{test,suite}.ts", { cwd: root })
  .filter((file) => !file.endsWith("spec-citations.test.ts"))
  .map((file) => readFileSync(root + file, "utf8"))
  .join("\n");
const isCited = (clause: string | undefined): boolean => tests.includes(`[${clause}]`);

test("every clause of the specification is cited by a test, or waits by name", () => {
  expect(clauses.length).toBeGreaterThan(70);
  expect(clauses.filter((clause) => !isCited(clause))).toEqual(waiting.filter((clause) => !isCited(clause)));
});

test("no clause waits that has its test", () => {
  expect(waiting.filter(isCited)).toEqual([]);
});
