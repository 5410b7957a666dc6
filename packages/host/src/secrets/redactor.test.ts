import { expect, test } from "vitest";
import { Redactor } from "./redactor.ts";

function knowing(secret: string): Redactor {
  const redactor = new Redactor();
  redactor.add("KEY", secret);
  return redactor;
}

const secret = "sk-sesame-0123456789";

test("[P6] what holds no secret stays the very same object, beside what is cleaned", () => {
  const value = {
    clean: { texts: ["a", { deep: null }] },
    told: { text: `it is ${secret}` },
    bytes: new Uint8Array(2),
  };
  const redacted = knowing(secret).redact(value);
  expect(redacted.clean).toBe(value.clean);
  expect(redacted.bytes).toBe(value.bytes);
  expect(JSON.stringify(redacted)).not.toContain(secret);
  expect(value.told.text).toContain(secret);
  expect(knowing("another-secret-4711").redact(value)).toBe(value);
});

test("[P6] a secret in the name of a field makes another object", () => {
  expect(Object.keys(knowing(secret).redact({ [secret]: 1 }))).toEqual(["‹secret:KEY›"]);
});

test("[P6] what an error says beside its fields is not carried along", () => {
  const error = Object.assign(new Error(`refused ${secret}`), { code: "E" });
  const redacted: unknown = knowing(secret).redact({ error });
  expect(redacted).toEqual({ error: { code: "E" } });
});
