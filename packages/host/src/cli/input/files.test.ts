import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { example, folder, galley } from "../testing/run-command.ts";

const isWindows = process.platform === "win32";

function emptyFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

const convert = (...args: readonly string[]) => galley(["preset", "convert", example("simple.json"), ...args]);

test("preset convert replaces a file only when it is told to, as every command that writes one", async () => {
  const out = join(emptyFolder("force"), "old.json");
  writeFileSync(out, "mine");
  const refused = await convert("--out", out);
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/FileExists[^]*--force/) as string });
  expect(readFileSync(out, "utf8")).toBe("mine");
  expect((await convert("--out", out, "--force")).code).toBe(0);
  expect(JSON.parse(readFileSync(out, "utf8"))).toHaveProperty("messageTemplates");
});

test.skipIf(isWindows)(
  "a file that is replaced keeps its rights, a link stays a link, a new file has those of the umask",
  async () => {
    const place = emptyFolder("rights");
    const [real, link, fresh] = [join(place, "real.json"), join(place, "link.json"), join(place, "fresh.json")];
    writeFileSync(real, "mine");
    chmodSync(real, 0o640);
    symlinkSync("real.json", link);
    expect((await convert("--out", link, "--force")).code).toBe(0);
    expect((await convert("--out", fresh)).code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe(readFileSync(fresh, "utf8"));
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(statSync(fresh).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(place).toSorted()).toEqual(["fresh.json", "link.json", "real.json"]);
  },
);

test.skipIf(isWindows)("a device stays a device", async () => {
  expect(await convert("--out", "/dev/null")).toEqual({ code: 0, out: "", err: "" });
  expect(await convert("--out", "/dev/null", "--force")).toEqual({ code: 0, out: "", err: "" });
  expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
});

test("of several files none is written where one cannot be", async () => {
  const place = emptyFolder("several");
  // The session goes beside the preset, where a folder has its name.
  mkdirSync(join(place, "mara.jsonl"));
  const card = example("sillytavern-card.json");
  const refused = await galley(["import", card, "--out", join(place, "mara.json")]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("mara.jsonl") as string });
  expect(readdirSync(place)).toEqual(["mara.jsonl"]);
});

const causes = [
  ["a folder", (place: string) => place, /FileUnreadable[^]*EISDIR[^]*It is a folder/],
  ["a folder that is not there", (place: string) => join(place, "no", "x.json"), /FileNotFound[^]*Make the folder/],
  [
    "a file as a folder",
    (place: string) => join(place, "file", "x.json"),
    /FileUnreadable[^]*ENOTDIR[^]*where a folder/,
  ],
  ["too long a name", (place: string) => join(place, "x".repeat(300)), /FileUnreadable[^]*ENAMETOOLONG[^]*too long/],
] as const;

test.skipIf(isWindows).each(causes)("what is named is %s: the hint says what to do", async (name, fileIn, expected) => {
  const place = emptyFolder(name);
  writeFileSync(join(place, "file"), "mine");
  const refused = await convert("--out", fileIn(place), "--force");
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(expected) as string });
  expect(readdirSync(place)).toEqual(["file"]);
});

test("a name as long as the disk allows can be written", async () => {
  const out = join(emptyFolder("long"), `${"x".repeat(250)}.json`);
  expect(await convert("--out", out)).toMatchObject({ code: 0, err: "" });
});
