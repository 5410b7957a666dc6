import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Redactor } from "../../secrets/redactor.ts";
import { testFolder } from "../testing/temp-daemon.ts";
import { daemonLog, pathForLog } from "./daemon-log.ts";

test("[P6] the log is lines of JSON without secrets, for the user alone", async () => {
  const file = join(testFolder(), "daemon.log");
  const redactor = new Redactor();
  redactor.add("KEY", "planted-key-5150");
  const log = daemonLog(file, redactor.redact);
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
  writeFileSync(file, "x".repeat(9_999_000));
  const log = daemonLog(file, (value) => value);
  for (let number = 0; number < 50; number += 1) {
    log.write("request", { number });
    await log.close();
  }
  const numbers = [`${file}.1`, file].flatMap((name) => readFileSync(name, "utf8").match(/(?<="number":)\d+/g) ?? []);
  expect(numbers.at(-1)).toBe("49");
  // Nothing between the two is missing.
  expect(numbers.map(Number)).toEqual(numbers.map((_, index) => 50 - numbers.length + index));
  expect(statSync(file).size).toBeLessThan(5000);
});

test.each([
  ["/api/chats/demo", "/api/chats/demo"],
  ["/api/chats/a%2Fb%20c", "/api/chats/a/b c"],
  ["/api/chats/a%2Fb c", "/api/chats/a/b c"],
  ["/api/chats/%E8%8C%B6/active", "/api/chats/茶/active"],
  ["/api/chats/%ff%/a%20b", "/api/chats/%ff%/a b"],
])("[P6] %s is read as %s", (path, readable) => {
  expect(pathForLog(path)).toBe(readable);
});
