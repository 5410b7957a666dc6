import fc from "fast-check";
import { expect, test } from "vitest";
import { TextRedactor } from "./text-redactor.ts";

const secret = "0123456789abcdef";
const redact = (text: string): string => text.replaceAll(secret, "‹secret›");

test("[P6] a secret that comes in pieces is masked wherever it is cut, and nothing else is lost", () => {
  const piece = fc.constantFrom("0", "01", "0123456789abcde", "f", secret, "hello ", "");
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat(5)), (words, cuts) => {
      const text = words.join("");
      const redactor = new TextRedactor({ secrets: () => ({ secret }), redact });
      let shown = "";
      let rest = text;
      for (const cut of cuts) {
        shown += redactor.push(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      shown += redactor.push(rest);
      shown += redactor.flush();
      expect(shown).not.toContain(secret);
      expect(shown).toBe(redact(text));
    }),
  );
});

test("[P6] what cannot become a secret is shown at once", () => {
  const redactor = new TextRedactor({ secrets: () => ({ secret }), redact });
  expect(redactor.push("hello 012")).toBe("hello ");
  expect(redactor.push("x")).toBe("012x");
});
