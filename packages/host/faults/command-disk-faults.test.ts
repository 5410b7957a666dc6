import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launcher } from "../../../scripts/launcher.ts";
import { example, galley } from "../src/cli/testing/run-command.ts";
import { claimFault } from "./claim-fault.ts";
import { noMount, smallDisk } from "./small-disk.ts";

const fault = "the disk is full (a tmpfs), or has one page left, under a command that writes a file that was named";
const holds =
  "StorageFailed with path and hint, exit code 1; every file that was there is the same byte for byte, nothing half and no draft is left; with room again it is written";

/** Longer than the pages that are left, in the forms that the commands read. */
const long = "Mara says so. ".repeat(3000);
const session = `${JSON.stringify({ id: "m1", ts: 1, type: "message", message: { role: "user", content: "Hello" } })}\n`;

const presetMessages = [
  { id: "core", role: "system", content: long },
  { id: "history", type: "chat_history", role: "user" },
];

/** The content of everything but the ballast. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => name !== "ballast");
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

interface Case {
  readonly name: string;
  readonly args: (disk: string, preset: string) => readonly string[];
}

const cases: readonly Case[] = [
  {
    name: "preset convert, old file",
    args: (disk, preset) => ["preset", "convert", preset, "--force", "-o", join(disk, "old.json")],
  },
  {
    name: "preset convert, new file",
    args: (disk, preset) => ["preset", "convert", preset, "-o", join(disk, "new.json")],
  },
  { name: "export, old file", args: (disk, preset) => ["export", preset, "--force", "-o", join(disk, "old.json")] },
  { name: "export, new file", args: (disk, preset) => ["export", preset, "-o", join(disk, "new.json")] },
  {
    name: "import, old file",
    args: (disk) => [
      "import",
      example("sillytavern-card.json"),
      "--persona",
      long,
      "--force",
      "-o",
      join(disk, "old.json"),
    ],
  },
  {
    name: "build --append",
    args: (disk, preset) => [
      "build",
      "--preset",
      preset,
      "--session",
      join(disk, "s.jsonl"),
      "--input",
      long,
      "--append",
    ],
  },
  {
    name: "build --append, unended line",
    args: (disk, preset) => [
      "build",
      "--preset",
      preset,
      "--session",
      join(disk, "u.jsonl"),
      "--input",
      long,
      "--append",
    ],
  },
];

test.for(cases.flatMap((one) => [0, 4096].map((leaving) => ({ ...one, leaving }))))(
  "[W10] $name, with $leaving bytes left on the disk",
  async ({ args, leaving }, { task, skip }) => {
    claimFault(task, { area: "full disk", fault, holds, rounds: 1 });
    const disk = smallDisk(1000);
    if (!disk) return skip(noMount);
    const { folder } = disk;
    // On another disk, so that reading it does not depend on the full one.
    const preset = join(folder, "..", "preset.json");
    writeFileSync(preset, JSON.stringify({ presetMessages }));
    writeFileSync(join(folder, "old.json"), '{"presetMessages":[]}\n');
    writeFileSync(join(folder, "s.jsonl"), session);
    writeFileSync(join(folder, "u.jsonl"), session.trimEnd());
    const before = filesOf(folder);
    disk.fill(leaving);
    const refused = await galley([...args(folder, preset), "--json"]);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.err)).toMatchObject({
      error: {
        code: "StorageFailed",
        path: expect.stringContaining(folder) as string,
        hint: expect.stringContaining("disk is full") as string,
      },
    });
    expect(filesOf(folder)).toEqual(before);
    disk.free();
    expect(await galley([...args(folder, preset), "--json"])).toMatchObject({ code: 0 });
    expect(filesOf(folder)).not.toEqual(before);
    expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
  },
);

test("[W10] standard output on a full disk is one message and exit code 1", ({ task, skip }) => {
  claimFault(task, {
    area: "full disk",
    fault: "standard output goes to a file on a full disk (a tmpfs)",
    holds: "StorageFailed with a hint on standard error, exit code 1",
    rounds: 1,
  });
  const disk = smallDisk(100);
  if (!disk) return skip(noMount);
  disk.fill();
  const command = `"${process.execPath}" "${launcher}" preset convert "${example("simple.json")}" > "${join(disk.folder, "out.json")}"`;
  const run = spawnSync("sh", ["-c", command], { encoding: "utf8" });
  expect(run.status).toBe(1);
  expect(run.stderr).toMatch(
    /^error StorageFailed: Standard output cannot be written \(ENOSPC\)\.\n {2}hint: The disk is full.*\n$/,
  );
});

test("[W10] a file on a read-only disk: the hint says so", async ({ task, skip }) => {
  claimFault(task, {
    area: "disks that fail",
    fault: "a command writes a file on a read-only disk (a tmpfs, remounted)",
    holds: "StorageFailed with path and hint, exit code 1, nothing changed",
    rounds: 2,
  });
  const disk = smallDisk(100);
  if (!disk) return skip(noMount);
  const session = join(disk.folder, "s.jsonl");
  writeFileSync(session, "");
  disk.protect(true);
  for (const args of [
    ["preset", "convert", example("simple.json"), "-o", join(disk.folder, "new.json")],
    ["build", "--preset", example("simple.json"), "--session", session, "--input", "Hello", "--append"],
  ]) {
    const refused = await galley(args);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/StorageFailed[^]*read-only/) as string });
  }
  expect(filesOf(disk.folder)).toEqual({ "s.jsonl": "" });
});
