import { describe, expect, test } from "vitest";
import { piLog } from "../testing/log-fixtures.ts";
import type { LogEntry, LogSummary } from "./log-types.ts";
import { readLog } from "./read-log.ts";

function readText(text: string): Pick<LogSummary, "notes"> & { readonly entries: readonly LogEntry[] } {
  const log = readLog({ name: "file" });
  const { entries } = log.push(text);
  const summary = log.end();
  return { notes: summary.notes, entries: [...entries, ...summary.entries] };
}

describe("[P6] [L2] secrets in a log are masked and counted by kind, never by value", () => {
  const key = (start: string, length: number): string => start + "a1B2c3D4".repeat(10).slice(0, length);
  const secrets: readonly (readonly [kind: string, text: string, secret: string])[] = [
    ["anthropic-key", "export ANTHROPIC_API_KEY=", key("sk-ant-api03-", 40)],
    ["openai-key", "key: ", key("sk-proj-", 48)],
    ["github-token", "https://x-access-token:", key("ghp_", 36)],
    ["aws-key", "AWS_ACCESS_KEY_ID=", "AKIAA1B2C3D4E5F6G7H8"],
    ["google-key", "?key=", key("AIza", 35)],
    ["json-web-token", "Authorization: Bearer ", `${key("eyJ", 20)}.${key("eyJ", 20)}.${key("", 20)}`],
    ["private-key", "", "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----"],
    ["password-in-address", "postgres://ada:", "pa55-word"],
    ["environment-variable", "HOME=/root\nBOAT_TOKEN=", key("", 24)],
    ["environment-variable", '{"AWS_SECRET_ACCESS_KEY": "', key("", 40)],
    ["bearer-token", "curl -H 'authorization: Bearer ", key("", 32)],
  ];
  const logWith = (text: string): string => piLog.replace("Go on", JSON.stringify(text).slice(1, -1));

  test.each(secrets)("%s", (kind, before, secret) => {
    const text = `${before}${secret}${kind === "password-in-address" ? "@db/boats" : ""}\nand on`;
    const { entries, notes } = readText(logWith(text));
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(JSON.stringify(entries.at(-1))).toContain(`‹secret:${kind}›`);
    expect(notes.filter(({ message }) => message.includes("masked"))).toEqual([
      { fate: "converted", path: "", message: `1 secret of the kind ${kind}, masked` },
    ]);
  });

  test.each([
    "a sk-ant- prefix, sk-learn and AKIA alone; task-force-1234567890123456789012345678901234567890",
    "API_KEY=your-key-here TOKEN=$TOKEN https://user:${PASSWORD}@host npm_config_registry",
    '"CACHE_KEY": "node-modules-v12-linux-abc", TOKEN: string; the bearer of this-letter; SECRET: "process.env.SECRET"',
    `data:image/png;base64,iVBOR${"AKIAA1B2C3D4E5F6G7H8".repeat(3)}`,
  ])("%s is not a secret", (text) => {
    expect(readText(logWith(text)).notes.filter(({ message }) => message.includes("masked"))).toEqual([]);
  });
});
