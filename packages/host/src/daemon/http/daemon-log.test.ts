import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Redactor } from "../../secrets/redactor.ts";
import { testFolder } from "../testing/temp-daemon.ts";
import { daemonLog } from "./daemon-log.ts";

test("[P6] the log is lines of JSON without secrets, for the user alone", async () => {
  const file = join(testFolder(), "daemon.log");
  const redactor = new Redactor();
  redactor.add("KEY", "planted-key-5150");
  const log = daemonLog({ file, redact: redactor.redact });
  log.write("request", { path: "/x/planted-key-5150", note: "two\nlines" });
  log.write("daemon:stopped");
  await log.close();
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { readonly event: string }).event)).toEqual([
    "request",
    "daemon:stopped",
  ]);
  expect(lines.join("")).not.toContain("planted-key-5150");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a log that is long enough makes room, and keeps the one before", async () => {
  const file = join(testFolder(), "daemon.log");
  const log = daemonLog({ file, redact: (value) => value, rotateBytes: 1000 });
  for (let number = 0; number < 50; number += 1) {
    log.write("request", { number });
    await log.close();
  }
  const numbers = [`${file}.1`, file].flatMap((name) => readFileSync(name, "utf8").match(/(?<="number":)\d+/g) ?? []);
  expect(numbers.at(-1)).toBe("49");
  // Nothing between the two is missing.
  expect(numbers.map(Number)).toEqual(numbers.map((_, index) => 50 - numbers.length + index));
  expect(statSync(file).size).toBeLessThan(1200);
});
