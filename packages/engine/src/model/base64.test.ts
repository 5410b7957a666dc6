import { expect, test } from "vitest";
import { decodeBase64, encodeBase64 } from "./base64.ts";

test.each(["", "a", "ab", "abc", "煤油税 🪔", "\u0000\n"])("[P5] %j comes back as it went, padded or not", (text) => {
  const bytes = new TextEncoder().encode(text);
  const encoded = encodeBase64(bytes);
  expect(decodeBase64(encoded)).toEqual(bytes);
  expect(decodeBase64(encoded.replaceAll("=", ""))).toEqual(bytes);
  expect(decodeBase64(` ${encoded.replaceAll("+", "-").replaceAll("/", "_")}\n`)).toEqual(bytes);
});

test("[P5] a picture of a megabyte comes back as it went", () => {
  const bytes = Uint8Array.from({ length: 1_000_003 }, (_, index) => (index * 2_654_435_761) >>> 24);
  expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
});

test("[E] padding in the middle is not base64, and millions of signs are looked at once", () => {
  expect(decodeBase64("YQ==YQ==")).toBeUndefined();
  // Looked through again at every sign it would take hours.
  expect(decodeBase64(`${"=".repeat(2_000_000)}x`)).toBeUndefined();
  expect(decodeBase64("=".repeat(2_000_000))).toEqual(new Uint8Array());
});
