import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import type { SessionEntry } from "./entries.ts";
import { deriveEntryId } from "./entry-ids.ts";
import { errorCatalogue, GalleyError, throwOnErrors } from "./check/errors.ts";
import { entriesOf } from "./testing/history.ts";
import { parseJson } from "./parse-json.ts";
import { formatSession, parseSession } from "./session-file.ts";
import { appendEntries } from "./session-log.ts";

const line = (fields: object): string => `${JSON.stringify(fields)}\n`;
const hello = { id: "e1", ts: "2026-01-01T00:00:00Z", type: "message", message: { role: "user", content: "hi" } };
const branch = (id: string, parentId?: string | null): SessionEntry => ({
  id,
  ts: 0,
  type: "message",
  message: { role: "user", content: id },
  ...(parentId === undefined ? {} : { parentId }),
});

test("[M2] a session file is read and written back without a change, unknown types and fields included", () => {
  const text =
    line({ ...hello, mine: { kept: true } }) +
    line({ id: "e2", ts: 1, type: "from-the-future", payload: [1, 2] }) +
    line({ id: "e3", ts: 2, type: "custom", anything: "goes" });
  const { entries, problems } = parseSession(text);
  expect(problems).toEqual([]);
  expect(entries.map((entry) => entry.type)).toEqual(["message", "from-the-future", "custom"]);
  expect(formatSession(entries)).toBe(text);
});

test.each([
  ["no JSON", "{oops", "InvalidJson", "line 2"],
  ["no entry", "[]", "SessionInvalid", "line 2"],
  ["no id", line({ ts: 0, type: "custom" }), "SessionInvalid", "line 2.id"],
  [
    "an unknown role",
    line({ ...hello, id: "x", message: { role: "bot", content: "" } }),
    "SessionInvalid",
    "line 2.message.role",
  ],
  [
    "a part without its text",
    line({ ...hello, id: "x", message: { role: "user", content: [{ type: "text" }] } }),
    "SessionInvalid",
    "line 2.message.content[0].text",
  ],
  [
    "a system message with parts",
    line({ ...hello, id: "x", message: { role: "system", content: [] } }),
    "SessionInvalid",
    "line 2.message.content",
  ],
])("[M2] a line with %s is reported by its number, and the rest is read", (_, bad, code, path) => {
  const { entries, problems } = parseSession(`${line(hello)}${bad.trimEnd()}\n${line({ ...hello, id: "e9" })}`);
  expect(entries.map((entry) => entry.id)).toEqual(["e1", "e9"]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ severity: "error", code, path });
});

test("[M2] a line that was written twice counts once", () => {
  const { entries, problems } = parseSession(line(hello) + line(hello));
  expect(entries).toHaveLength(1);
  expect(problems[0]).toMatchObject({ severity: "warning", code: "DuplicateId", path: "line 2" });
});

test("[M3] appending is idempotent by id and changes nothing that is there", () => {
  const [first, second] = entriesOf([
    { role: "user", content: "a" },
    { role: "assistant", content: "b" },
  ]) as [SessionEntry, SessionEntry];
  const before = [first];
  const once = appendEntries(before, [second], "h1");
  expect(once.entries).toEqual([first, second]);
  expect(before).toEqual([first]);
  expect(appendEntries(once.entries, [second], "h1")).toEqual({ entries: [first, second], added: [] });
});

test("[M3] a session that has moved on is a conflict, and nothing of the batch is added", () => {
  const session = [branch("a"), branch("b")];
  const append = (): unknown => appendEntries(session, [branch("b"), branch("c")], "a");
  expect(append).toThrow(expect.objectContaining({ code: "SessionConflict", retryable: true }));
  expect(session).toHaveLength(2);
  expect(appendEntries([], [branch("a")], null).added).toHaveLength(1);
});

test("[F13] a derived id depends on tail, index and content, and not on the order of keys", () => {
  const id = deriveEntryId("t", 0, { role: "user", content: "hi" });
  expect(id).toMatch(/^m_[0-9a-f]{20}$/);
  expect(deriveEntryId("t", 0, { content: "hi", role: "user" })).toBe(id);
  expect(deriveEntryId("t", 1, { role: "user", content: "hi" })).not.toBe(id);
  expect(deriveEntryId(null, 0, { role: "user", content: "hi" })).not.toBe(id);
});

test("[P2] canonical JSON sorts keys by code unit, drops undefined, escapes lone surrogates, writes bytes as base64", () => {
  expect(canonicalJson({ b: 1, a: [undefined, -0, 1e21], "\u20ac": "\ud800", z: undefined })).toBe(
    '{"a":[null,0,1e+21],"b":1,"\u20ac":"\\ud800"}',
  );
  expect(canonicalJson(new Uint8Array([0, 1, 254, 255]))).toBe('"AAH+/w=="');
  expect(() => canonicalJson({ a: { b: Number.NaN } })).toThrow(expect.objectContaining({ path: "a.b" }));
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  expect(() => canonicalJson(circle)).toThrow(GalleyError);
});

test("[E] an error carries code, path, hint and every problem, also as JSON", () => {
  const problem = {
    severity: "error",
    code: "DuplicateId",
    message: "Twice.",
    path: "a[1].id",
    hint: "Rename.",
  } as const;
  const warning = { ...problem, severity: "warning" } as const;
  expect(() => throwOnErrors([warning])).not.toThrow();
  let caught: unknown;
  try {
    throwOnErrors([warning, problem, problem]);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(GalleyError);
  expect(JSON.parse(JSON.stringify(caught))).toMatchObject({
    code: "DuplicateId",
    message: "Twice. (and 1 more)",
    path: "a[1].id",
    hint: "Rename.",
    retryable: false,
  });
  for (const meaning of Object.values(errorCatalogue)) expect(meaning).toMatch(/^[A-Z].*\.$/);
});

test.each([
  ["", "The text is empty."],
  ["name: galley", 'it starts with "name: galley"'],
  ['{"a": 1,}', "missing comma"],
  ['{"a": ["cut', "may have been cut off"],
])("[E] text that is not JSON gets a hint: %j", (text, hint) => {
  expect(() => parseJson(text, { what: "preset" })).toThrow(
    expect.objectContaining({ code: "InvalidJson", hint: expect.stringContaining(hint) }),
  );
});

test("[E] JSON that is nested without end is refused, a byte order mark is not", () => {
  expect(() => parseJson("[".repeat(100_000) + "]".repeat(100_000), { what: "preset" })).toThrow(/nested/);
  expect(parseJson('\ufeff{"a":1}', { what: "preset" })).toEqual({ a: 1 });
  // Brackets inside a long text are none, whatever stands before its quotes.
  const texts = ['"', "\\", '\\"', "[".repeat(300), '"[['.repeat(300), "x".repeat(1_000_000)];
  expect(parseJson(JSON.stringify(texts), { what: "preset" })).toEqual(texts);
});

test("[M3] an id that another entry has is a DuplicateId with its path, and nothing is added", () => {
  const other = { ...branch("a"), message: { role: "user" as const, content: "other" } };
  const taken = (path: string) => expect.objectContaining({ code: "DuplicateId", path });
  expect(() => appendEntries([branch("a")], [branch("b"), other])).toThrow(taken("entries[1].id"));
  expect(() => appendEntries([], [branch("a"), other])).toThrow(taken("entries[1].id"));
  expect(() => appendEntries([branch("a", "x")], [branch("a", "y")])).toThrow(taken("entries[0].id"));
  // A retry has its own time, and may leave out what the log says.
  const retried = { ...branch("a"), ts: 7 };
  expect(appendEntries([branch("a", null)], [retried, retried, branch("b")]).added).toEqual([branch("b")]);
});

test("[M2] a line that says something else under an id of the file is an error", () => {
  const { entries, problems } = parseSession(
    line(hello) + line({ ...hello, message: { role: "user", content: "no" } }),
  );
  expect(entries).toHaveLength(1);
  expect(problems[0]).toMatchObject({ severity: "error", code: "DuplicateId", path: "line 2" });
});
