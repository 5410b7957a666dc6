import fc from "fast-check";
import { expect, test } from "vitest";
import { readLog } from "./exchange/logs/read-log.ts";
import { claudeLog, codexLog, copilotLog, piLog } from "./exchange/testing/log-fixtures.ts";
import { build } from "./fit/build.ts";
import { quarterAccount } from "./fit/testing/sessions.ts";
import type { SessionEntry } from "./model/entries.ts";
import { runs } from "./model/testing/history.ts";
import { exportFor, wireProviders } from "./wire/export-for.ts";

const logs = [claudeLog, codexLog, piLog, copilotLog].map((text) => text.trim().split("\n"));
const anyChange = fc.tuple(fc.constantFrom("drop", "double", "swap"), fc.nat(40));
const next: SessionEntry = { id: "next", ts: 1, type: "message", message: { role: "user", content: "Go on." } };

/** The sessions of a log whose lines were changed in this way. */
function sessionsOf(source: readonly string[], changes: readonly (readonly [string, number])[]): SessionEntry[][] {
  const text = [...source];
  for (const [kind, wanted] of changes) {
    const at = 1 + (wanted % Math.max(1, text.length - 1));
    if (kind === "drop") text.splice(at, 1);
    else if (kind === "double") text.splice(at, 0, text[at] ?? "");
    else text.push(...text.splice(at, 1));
  }
  const log = readLog({ name: "file" });
  const written = [...log.push(`${text.join("\n")}\n`).entries];
  written.push(...log.end().entries);
  const sessions = new Map<string, SessionEntry[]>();
  for (const { session, entry } of written) sessions.set(session, [...(sessions.get(session) ?? []), entry]);
  return [...sessions.values()];
}

test("[L2] [L4] whatever lines of a log are missing, doubled or out of order, its session goes on with every provider", () => {
  let exported = 0;
  fc.assert(
    fc.property(fc.constantFrom(...logs), fc.array(anyChange, { maxLength: 6 }), (source, changes) => {
      for (const entries of sessionsOf(source, changes)) {
        const config = { maxInputTokens: 100_000 };
        const built = build({ entries: [...entries, next], account: quarterAccount, config });
        for (const wire of wireProviders) exportFor(wire, built);
        exported += 1;
      }
    }),
    runs,
  );
  expect(exported).toBeGreaterThan(0);
});
