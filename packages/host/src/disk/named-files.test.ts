import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readNamedText } from "./named-files.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-named-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

/** Larger than what is read at once. */
const large = "0123456789\n".repeat(100_000);

async function readAll(file: string, meanwhile: (piece: number) => void = () => undefined): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of readNamedText(file)) {
    pieces.push(piece);
    meanwhile(pieces.length);
  }
  return pieces.join("");
}

test("[L2] a file that is replaced while it is read gives what it was, whole", async () => {
  writeFileSync(at("a"), large);
  const text = await readAll(at("a"), (piece) => {
    if (piece !== 1) return;
    writeFileSync(at("b"), "another");
    renameSync(at("b"), at("a"));
  });
  expect(text === large).toBe(true);
  expect(await readAll(at("a"))).toBe("another");
});

test("[L2] a file that grows or is cut while it is read ends where it ends, in whole pieces", async () => {
  writeFileSync(at("grows"), large);
  const grown = await readAll(at("grows"), (piece) => piece === 1 && appendFileSync(at("grows"), "more\n"));
  expect(grown === `${large}more\n` || grown === large).toBe(true);
  writeFileSync(at("cut"), large);
  const cut = await readAll(at("cut"), (piece) => piece === 1 && truncateSync(at("cut"), 200_000));
  expect(large.startsWith(cut)).toBe(true);
});

test("[L2] links are followed to plain files; a pipe, a device and a folder are refused at once", async () => {
  symlinkSync(at("a"), at("link"));
  writeFileSync(at("a"), "text");
  expect(await readAll(at("link"))).toBe("text");
  execFileSync("mkfifo", [at("pipe")]);
  symlinkSync(at("pipe"), at("to-pipe"));
  for (const file of [at("pipe"), at("to-pipe"), "/dev/null", folder]) {
    await expect(readAll(file)).rejects.toMatchObject({ code: "FileUnreadable" });
  }
});

test("[L2] UTF-16 is known by its mark, and bytes that are not text become U+FFFD", async () => {
  for (const [encoding, swap] of [
    ["utf16le", false],
    ["utf16le", true],
  ] as const) {
    const bytes = Buffer.from("\uFEFFGrüße, 世界", encoding);
    writeFileSync(at("wide"), swap ? bytes.swap16() : bytes);
    expect((await readAll(at("wide"))).replace("\uFEFF", "")).toBe("Grüße, 世界");
  }
  writeFileSync(at("latin"), Buffer.from("Grüße", "latin1"));
  expect(await readAll(at("latin"))).toBe("Gr\uFFFD\uFFFDe");
});
