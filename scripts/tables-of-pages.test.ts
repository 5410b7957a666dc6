import { entryKinds } from "@galley/engine/messages";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { settingKeys } from "../packages/host/src/config/settings-in-force.ts";

test("[T3] the page about settings has a row for each", () => {
  const page = readFileSync(new URL("../docs/recipes/settings.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \|/gmu)].map(([, key = ""]) => key);
  expect(rows.toSorted()).toEqual(settingKeys.toSorted());
});

test("[V5] the table of the specification is the register", () => {
  const spec = readFileSync(new URL("../docs/spec.md", import.meta.url), "utf8");
  const [, after = ""] = spec.split("| kind | stands in |");
  const [table = ""] = after.split("\n\n");
  const rows = table.split("\n").slice(2);
  const cells = rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const register = Object.entries(entryKinds).map(
    ([name, { standsIn, writtenBy, archive, plainReader, redaction }]) => [
      name,
      standsIn.join(", "),
      writtenBy,
      archive,
      plainReader,
      redaction,
    ],
  );
  expect(cells).toEqual(register);
});

test("the entries of the packages export about 90 and 120 names; the rest stand behind sub-paths", () => {
  const page = readFileSync(new URL("../docs/api.md", import.meta.url), "utf8");
  const parts = page.split(/^## /mu).map((part) => [part.split("\n", 1)[0], part.match(/^#### /gmu)?.length ?? 0]);
  const { galley, "@galley/engine": engine } = Object.fromEntries(parts) as Record<string, number>;
  expect(galley).toBeGreaterThan(50);
  expect(galley).toBeLessThan(96);
  expect(engine).toBeGreaterThan(50);
  expect(engine).toBeLessThan(126);
});
