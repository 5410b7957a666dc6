import { expect, test } from "vitest";
import { confirmations } from "./confirmations.ts";

function opened() {
  const told: string[] = [];
  let now = 0;
  const asked = confirmations(
    (line) => told.push(line),
    () => now,
  );
  const codeOf = (line = told.at(-1)): string => /: (\d{6})$/.exec(line ?? "")?.[1] ?? "";
  const said = (what: string, code?: string): string => {
    try {
      asked.check(what, code, "galley agent add mara");
      return "passed";
    } catch (error) {
      return `${(error as { code?: string }).code}: ${(error as Error).message}`;
    }
  };
  return { told, said, codeOf, pass: (ms: number) => (now += ms) };
}

test("[P10b] a page that tries codes gets twenty tries an hour, whatever it asks for", () => {
  const { told, said, codeOf, pass } = opened();
  let tries = 0;
  for (let n = 0; n < 5000; n += 1) {
    const what = `do ${n % 7}`;
    said(what);
    const wrong = String((Number(codeOf()) + 1) % 1_000_000).padStart(6, "0");
    if (said(what, wrong).includes("The code is wrong")) tries += 1;
  }
  expect(tries).toBe(20);
  expect(told.length).toBeLessThan(30);
  expect(told.at(-1)).toContain("20 wrong codes");
  expect(said("do it", "123456")).toBe(
    "Forbidden: 20 codes were wrong: for an hour, a page can do nothing that takes one.",
  );
  pass(60 * 60 * 1000);
  said("do it");
  expect(said("do it", codeOf())).toBe("passed");
});

test("[P10b] a right code makes earlier mistakes good", () => {
  const { said, codeOf } = opened();
  for (let n = 0; n < 30; n += 1) {
    said(`do ${n}`);
    const code = codeOf();
    expect(said(`do ${n}`, code === "000000" ? "000001" : "000000")).toContain("The code is wrong");
    expect(said(`do ${n}`, code)).toBe("passed");
  }
});

test("[P10b] the terminal shows all of what is asked for, or prints no code", () => {
  const { told, said, codeOf } = opened();
  expect(said(`start "evil" "${" ".repeat(2000)}"`)).toBe(
    "Forbidden: To do that takes a code: a page alone must not be able to do that.",
  );
  expect(told).toEqual([]);
  // What cannot be seen, or turns the line around, is written out; so two lines that look the same are the same.
  const what = 'start "a\u200b\u00ad\u202e\u3164\u00a0\u0301\u{e0041}b"';
  said(what);
  expect(told[0]).toContain(String.raw`start "a\u{200b}\u{ad}\u{202e}\u{3164}\u{a0}\u{301}\u{e0041}b"`);
  expect(said('start "ab"', codeOf())).toContain("The code is wrong");
  expect(said(what, codeOf(told[0]))).toBe("passed");
});
