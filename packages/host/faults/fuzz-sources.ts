import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Chance, spoilBytes, spoilJson } from "@galley/engine/testing";

/** A file before anything is wrong with it. */
export interface FuzzSource {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const examples = fileURLToPath(new URL("../../../examples", import.meta.url));

export function exampleText(name: string): string {
  return readFileSync(join(examples, name), "utf8");
}

export function jsonFile(name: string, value: unknown): FuzzSource {
  return { name, bytes: Buffer.from(JSON.stringify(value)) };
}

export function linesFile(name: string, ...lines: readonly unknown[]): FuzzSource {
  return { name, bytes: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")) };
}

/** Files that people made; only where the corpus is, for they are not ours to publish. */
export function corpusFiles(...folders: readonly string[]): FuzzSource[] {
  const corpus = process.env["GALLEY_CORPUS"];
  if (corpus === undefined) return [];
  return folders.flatMap((folder) =>
    readdirSync(join(corpus, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => ({ name: entry.name, bytes: readFileSync(join(corpus, folder, entry.name)) })),
  );
}

/** The file with something wrong in it: in its bytes, or in what they say. */
export function spoilFile({ bytes }: FuzzSource, chance: Chance): Uint8Array {
  if (chance.oneIn(3)) return spoilBytes(bytes, chance);
  const text = Buffer.from(bytes).toString("utf8");
  const whole = parsed(text);
  if (whole !== undefined) return Buffer.from(spoilJson(whole, chance));
  const lines = text.split("\n");
  const at = chance.below(lines.length);
  const line = parsed(lines[at] ?? "");
  if (line === undefined) return spoilBytes(bytes, chance);
  lines[at] = spoilJson(line, chance);
  return Buffer.from(lines.join("\n"));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
