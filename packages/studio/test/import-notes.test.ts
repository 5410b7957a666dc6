import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { noteIn } from "../src/i18n/import-notes.ts";

const exchange = fileURLToPath(new URL("../../engine/src/exchange/", import.meta.url));

/** The sentences with which the readers and writers of SillyTavern's files report, each value in them as `X`. */
function sentences(): readonly string[] {
  const files = globSync("{sillytavern,files}/**/*.ts", { cwd: exchange }).filter((name) => !name.includes(".test."));
  return files.flatMap((name) => {
    const source = readFileSync(exchange + name, "utf8");
    return [...source.matchAll(/\.(?:kept|converted|repaired|unsupported)\(/gu)].flatMap(({ index, 0: { length } }) => {
      const [call = ""] = source.slice(index + length).split(/\);\n/u, 1);
      const sentence = /(["`])([^"`]{6,}?\.)\1,?\s*$/su.exec(call)?.[2];
      return sentence ? [sentence.replaceAll(/\$\{[^}]*\}/gu, "X").replaceAll(/\s+/gu, " ")] : [];
    });
  });
}

test("check 85: what an import reports is said in Chinese on the Chinese page, whatever it is about", () => {
  const all = sentences();
  expect(all.length).toBeGreaterThan(55);
  expect(all.filter((sentence) => noteIn("zh", sentence) === sentence)).toEqual([]);
  expect(noteIn("zh", "Of 7 items the first 3 are read.")).toBe("7 项中，读取了前 3 项。");
  expect(noteIn("zh", "12 prompts, 11 in the order.")).toBe("12 条提示，顺序中有 11 条。");
  expect(noteIn("en", "Tags are not sent.")).toBe("Tags are not sent.");
});
