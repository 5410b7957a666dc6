import { expect, test } from "vitest";
import { decodeBase64Text, encodeBase64Text } from "./base64.ts";

test.each(["", "a", "ab", "abc", "煤油税 🪔", "\u0000\n"])("[P5] %j comes back as it went, padded or not", (text) => {
  const encoded = encodeBase64Text(text);
  expect(decodeBase64Text(encoded)).toBe(text);
  expect(decodeBase64Text(encoded.replaceAll("=", ""))).toBe(text);
  expect(decodeBase64Text(` ${encoded.replaceAll("+", "-").replaceAll("/", "_")}\n`)).toBe(text);
});

test("[E] padding in the middle is no base64, and millions of it are looked at once", () => {
  expect(decodeBase64Text("YQ==YQ==")).toBeUndefined();
  // Looked through again at every sign it would take hours.
  expect(decodeBase64Text(`${"=".repeat(2_000_000)}x`)).toBeUndefined();
  expect(decodeBase64Text("=".repeat(2_000_000))).toBe("");
});
