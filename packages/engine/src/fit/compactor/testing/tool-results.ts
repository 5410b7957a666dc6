import type { Chance } from "../../../model/testing/fuzz-chance.ts";

const words = (list: string): readonly string[] => list.split(" ");
const verbs = words("load find merge drop parse render queue notify sort group check build send read trim flush");
const nouns = words(
  "Order Row Cart Page Slot Batch Entry Token Shift Route Price Label Stamp Badge Track Draft Folder",
);
const folders = words(
  "src/core src/api src/jobs src/views lib/store lib/net internal/sync packages/web/src app/models",
);
const fields = words("id status total created_at owner city amount kind rank units weight note region_id channel");
const people = words("Maya Tomas Ingrid Wei Farid Olu Hanna Kenji");
const values = words("open closed pending north south retail direct A B C true false");

const numberOf = (chance: Chance, limit: number): string => String(chance.below(limit));
const name = (chance: Chance): string => chance.pick(verbs) + chance.pick(nouns);
const hash = (chance: Chance): string => chance.below(0xf_ff_ff_ff).toString(16).padStart(7, "0");
const path = (chance: Chance, end = "ts"): string =>
  `${chance.pick(folders)}/${chance.pick(nouns).toLowerCase()}-${chance.pick(verbs)}.${end}`;
const time = (chance: Chance): string =>
  [chance.below(24), chance.below(60), chance.below(60)].map((part) => String(part).padStart(2, "0")).join(":");

const codeLines: readonly ((chance: Chance) => string)[] = [
  (chance) => `export function ${name(chance)}(${chance.pick(fields)}: string, limit = ${numberOf(chance, 90)}) {`,
  (chance) => `  const ${chance.pick(nouns).toLowerCase()} = ${name(chance)}(input.${chance.pick(fields)});`,
  (chance) => `  if (${chance.pick(fields)} === "${chance.pick(values)}") return ${name(chance)}(rest);`,
  (chance) => `  for (const ${chance.pick(fields)} of await ${name(chance)}()) {`,
  (chance) => `    ${name(chance)}(${chance.pick(fields)}, ${numberOf(chance, 500)});`,
  (chance) => `  // ${chance.pick(nouns)}s come sorted by ${chance.pick(fields)}.`,
  (chance) => `  return { ${chance.pick(fields)}, ${chance.pick(fields)}: ${name(chance)}(list) };`,
  (chance) => `import { ${name(chance)} } from "../${chance.pick(nouns).toLowerCase()}.ts";`,
  () => "  }",
  () => "}",
  () => "",
];

const many = (lines: number, line: (at: number) => string): string =>
  Array.from({ length: lines }, (_, at) => line(at)).join("\n");

interface Printed {
  readonly tool: string;
  readonly input: object;
  readonly value: string;
}

type Printer = (chance: Chance, lines: number) => Printed;

const code: Printer = (chance, lines) => ({
  tool: "read_file",
  input: { path: path(chance) },
  value: many(lines, () => chance.pick(codeLines)(chance)),
});

const python: Printer = (chance, lines) => ({
  tool: "read_file",
  input: { path: path(chance, "py") },
  value: many(lines, (at) =>
    at % 6 === 0
      ? `def ${chance.pick(verbs)}_${chance.pick(fields)}(${chance.pick(fields)}, *, limit=${numberOf(chance, 64)}):`
      : `    ${chance.pick(fields)} = ${chance.pick(verbs)}_${chance.pick(fields)}(self.${chance.pick(fields)}[${numberOf(chance, 9)}])`,
  ),
});

const hits: Printer = (chance, lines) => {
  const wanted = name(chance);
  const value = many(
    Math.ceil(lines / 2),
    () =>
      `${path(chance)}:${1 + chance.below(300)}:  const ${chance.pick(fields)} = ${wanted}(${chance.pick(fields)});`,
  );
  return { tool: "grep", input: { pattern: wanted }, value };
};

const tests: Printer = (chance, lines) => {
  const failed = chance.oneIn(6);
  const passed = many(
    Math.ceil(lines / 3),
    () => ` ✓ ${path(chance, "test.ts")} (${1 + chance.below(30)} tests) ${1 + chance.below(90)}ms`,
  );
  const fails = `\n ❯ ${path(chance, "test.ts")} (${2 + chance.below(9)} tests | 1 failed)\n   × ${name(chance)} > keeps the order\n     → expected ${chance.below(90)} to be ${chance.below(90)}`;
  return {
    tool: "shell",
    input: { command: "npm test" },
    value: passed + (failed ? fails : "\n\n      Tests  passed"),
  };
};

const history: Printer = (chance, lines) => ({
  tool: "shell",
  input: { command: `git log --oneline -${Math.ceil(lines / 2)}` },
  value: many(
    Math.ceil(lines / 2),
    () =>
      `${hash(chance)} ${chance.pick(verbs)} the ${chance.pick(nouns).toLowerCase()} ${chance.pick(fields)} (${chance.pick(people)})`,
  ),
});

const serverLog: Printer = (chance, lines) => ({
  tool: "shell",
  input: { command: `tail -${lines} /var/log/app/${chance.pick(nouns).toLowerCase()}.log` },
  value: many(
    lines,
    () =>
      `${time(chance)} ${chance.oneIn(12) ? "WARN" : "INFO"} [${chance.pick(nouns)}] ${chance.pick(verbs)} ${chance.pick(fields)}=${hash(chance)} took ${numberOf(chance, 400)}ms`,
  ),
});

const table: Printer = (chance, lines) => {
  const columns = [chance.pick(fields), chance.pick(fields), chance.pick(fields)];
  const rows = many(
    lines,
    () => ` ${numberOf(chance, 99_999)} | ${chance.pick(values)} | ${numberOf(chance, 9000)}.${numberOf(chance, 99)}`,
  );
  const sql = `select ${columns.join(", ")} from ${chance.pick(nouns).toLowerCase()}s limit ${lines}`;
  return {
    tool: "query",
    input: { sql },
    value: ` ${columns.join(" | ")}\n-------+-------+-------\n${rows}\n(${lines} rows)`,
  };
};

const settings: Printer = (chance, lines) => ({
  tool: "read_file",
  input: { path: `deploy/${chance.pick(nouns).toLowerCase()}.yaml` },
  value: many(
    Math.ceil(lines / 2),
    (at) =>
      `${"  ".repeat(at % 3)}${chance.pick(fields)}: ${chance.oneIn(2) ? chance.pick(values) : numberOf(chance, 4000)}`,
  ),
});

const listing: Printer = (chance, lines) => ({
  tool: "shell",
  input: { command: `ls -la ${chance.pick(folders)}` },
  value: many(
    Math.ceil(lines / 2),
    () =>
      `-rw-r--r-- 1 dev dev ${numberOf(chance, 60_000)} Apr ${1 + chance.below(28)} ${time(chance).slice(0, 5)} ${path(chance).split("/").at(-1) ?? ""}`,
  ),
});

const places: Printer = (chance, lines) => ({
  tool: "search_places",
  input: { near: chance.pick(values), kind: chance.pick(fields), page: chance.below(4) },
  value: JSON.stringify(
    Array.from({ length: Math.ceil(lines / 4) }, () => ({
      name: `${chance.pick(people)}'s ${chance.pick(nouns)}`,
      rating: 3 + chance.below(20) / 10,
      price: chance.pick(["€", "€€", "€€€"]),
      distance_m: chance.below(4000),
    })),
    undefined,
    1,
  ),
});

/** What tools print, by what the session is about. */
export const printers = {
  coding: [code, code, code, hits, tests, history, listing, settings],
  data: [table, table, python, serverLog, hits, listing],
  machines: [serverLog, serverLog, settings, python, listing, tests, history],
  life: [places],
} as const satisfies Record<string, readonly Printer[]>;
