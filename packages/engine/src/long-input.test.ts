import { decodeBase64 } from "./model/base64.ts";
import { expect, test } from "vitest";
import { composePreset } from "./compose/compose-preset.ts";
import { parsePreset } from "./compose/preset/parse-preset.ts";
import { exportTavern } from "./exchange/sillytavern/export/export-tavern.ts";
import { importReport } from "./exchange/files/import-report.ts";
import { importTavern } from "./exchange/sillytavern/import-tavern.ts";
import { readTavernFile } from "./exchange/sillytavern/read/read-tavern-file.ts";
import { utf8 } from "./exchange/testing/tavern-fixture.ts";
import { build } from "./fit/build.ts";
import { sentencesOf } from "./fit/compactor/sentences.ts";
import type { SessionEntry } from "./model/entries.ts";
import { GalleyError } from "./model/check/errors.ts";
import type { ModelMessage } from "./model/messages.ts";
import { parseSession } from "./model/session-file.ts";
import { recordBuild } from "./proof/build-record.ts";
import { diff } from "./proof/diff.ts";
import { lostNames } from "./proof/lost.ts";
import { replay } from "./proof/replay.ts";
import { tokenAccount } from "./tokens/account.ts";
import { tokenizerForModel } from "./tokens/catalogue/tokenizer-for-model.ts";

// Each input has about a million characters. Work that grows with the square of it would take hours here, and a list that is
// handed over as arguments would overflow the stack.
const long = 1_000_000;
const account = tokenAccount(await tokenizerForModel("unknown"));

const times = (text: string): string => text.repeat(Math.ceil(long / text.length));
const listOf = (length: number, item: (index: number) => unknown): unknown[] =>
  Array.from({ length }, (_, index) => item(index));

function useText(content: string, variables: Readonly<Record<string, string>> = {}): void {
  const presetMessages = [{ id: "a", role: "system", content }];
  usePreset({ macros: "sillytavern", variables, presetMessages });
}

function usePreset(value: unknown): void {
  const { preset } = parsePreset(JSON.stringify(value));
  composePreset({ preset });
  exportTavern(preset);
}

function useFile(value: unknown): void {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const file = readTavernFile(utf8(text), { name: "file" }, importReport());
  usePreset(importTavern([file]).preset);
}

function useSession(lines: readonly unknown[]): void {
  const { entries } = parseSession(lines.map((line) => JSON.stringify(line)).join("\n"));
  build({ entries, account, config: { maxInputTokens: 1000 } });
}

const said = (id: string, content: unknown): object => ({
  id,
  ts: 1,
  type: "message",
  message: { role: "user", content },
});

const cases: Readonly<Record<string, () => void>> = {
  "macros that are never closed": () => useText(times("{{")),
  "branches that are never closed": () => useText(times("{{if x}}a{{else}}b")),
  "macros in macros in macros": () => useText(`${"{{reverse::".repeat(99)}${times("x")}${"}}".repeat(99)}`),
  "unknown macros in each other": () => useText(`${"{{x ".repeat(99)}${times("x")}${"}}".repeat(99)}`),
  "a long variable that is added to": () => useText(`{{setvar::a::${times("1")}z}}${times("{{addvar::a::1}}")}`),
  "a long variable that is asked about": () => useText(`{{setvar::a::${times("y")}}}${times("{{if a}}{{/if}}")}`),
  "a blank variable that is asked about": () => useText(times("{{if a}}{{/if}}"), { a: times(" ") }),
  "a variable that doubles": () => useText(times("{{setvar::a::{{getvar::a}}{{getvar::a}}x}}")),
  "a long comment that is read often": () => useText(times("{{v}}"), { v: `{{// ${times("y")}}}` }),
  "a long value that is read often": () => useText(times("{{v}}"), { v: `{{}}${times("y")}` }),
  "names with long gaps": () => useFile({ name: "N", description: times(`{{${" ".repeat(5000)}`), first_mes: "" }),
  "examples of one name": () => useFile({ name: "N", first_mes: "", mes_example: `<START>\n${times("{{user}}:")}` }),
  "a date that goes on": () => useFile({ name: "A", is_user: true, mes: "m", send_date: `2024-1-1@${times("1")}` }),
  "many entries of one number": () =>
    useFile({ entries: listOf(20_000, () => ({ uid: 1, content: "x", constant: true, position: 4, depth: 1 })) }),
  "many recipes and many templates": () =>
    usePreset({
      messageTemplates: listOf(15_000, (index) => ({ id: `t${index}`, role: "system", content: "" })),
      contextRecipes: listOf(15_000, (index) => ({ id: `r${index}`, modelFilter: ["*"], steps: [] })),
    }),
  "a message of a hundred and fifty thousand wrong parts": () =>
    useSession([
      said(
        "a",
        listOf(200_000, () => 1),
      ),
    ]),
  "a session of one id": () => useSession(listOf(15_000, () => said("a", "x"))),
  "a line of nothing but quotes": () => void sentencesOf(times('"')),
  "padding without end": () => void decodeBase64(`${times("=")}!`),
  "a message of one letter": () => useSession([said("a", times("a"))]),
};

function errorOf(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

test.each(Object.entries(cases))("[E] %s: a result or a clear error, in a time that does not explode", (_, work) => {
  const error = errorOf(work);
  expect(error === undefined || error instanceof GalleyError).toBe(true);
});

test("[P3] more messages that come at once than a call may have arguments are told one by one", () => {
  const messages = listOf(150_000, () => ({ role: "user", content: "m" })) as ModelMessage[];
  const { appeared } = diff({ messages: [], tools: [] }, { messages, tools: [] }, account);
  expect(appeared.length).toBe(150_000);
});

test("[P2] an entry that only calls itself a build is not taken for a record", () => {
  const odd: SessionEntry = { id: "b", ts: 1, type: "custom", kind: "build", hashes: [] };
  const request = { entries: [odd], account, config: { maxInputTokens: 1000 } };
  expect(recordBuild(request, build(request)).keep).toBe(0);
});

test("[P2] a record whose inputs were damaged is an error that names it", () => {
  const request = { entries: [], account, config: { maxInputTokens: 1000 } };
  const record = recordBuild(request, build(request));
  const odd = { ...record, inputs: { ...record.inputs, variables: { a: 1 } } };
  expect(() => [...replay([odd], account)]).toThrow(
    expect.objectContaining({ code: "SessionInvalid", path: `${record.id}.inputs.variables.a` }),
  );
});

test("what a thousand compactions lost is found in a few readings of what was said", () => {
  let readings = 0;
  const said = (index: number): SessionEntry => ({
    id: `m${index}`,
    ts: index,
    type: "message",
    message: {
      role: index % 2 === 0 ? "user" : "assistant",
      get content() {
        readings += 1;
        return `src/f_${index % 50}.ts is here`;
      },
    },
  });
  const cut = (index: number): SessionEntry => ({
    id: `c${index}`,
    ts: index,
    type: "compaction",
    firstKeptEntryId: null,
  });
  const entries = Array.from({ length: 1000 }, (_, index) => [said(index), cut(index)]).flat();
  expect(lostNames(entries)).toHaveLength(1000);
  expect(readings).toBeLessThan(100 * 1000);
});
