import { type PackedEntries, lengthCode } from "../packages/engine/src/tokens/counters/vocabulary.ts";

/** An encoding's byte strings in the order of their ranks; as text where they are UTF-8. */
export type VocabularyEntries = readonly (string | readonly number[])[];

const notice = `/*! @license
 * The vocabulary of OpenAI's tiktoken, Copyright (c) 2022 OpenAI, Shantanu Jain, under the MIT licence:
 * Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 * documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 * rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
 * persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and
 * this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED
 * "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
 * MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT
 * HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
 * ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 */
// Written by scripts/write-vocabularies.ts. All entries end to end, a character for each byte, and a character for the
// length of each: two long texts load several times faster than 200,000 short ones.
`;

/** The entries as the engine loads them. */
export function packEntries(entries: VocabularyEntries): PackedEntries {
  const encoder = new TextEncoder();
  const all = entries.map((entry) => (typeof entry === "string" ? encoder.encode(entry) : Uint8Array.from(entry)));
  return {
    bytes: all.map((entry) => Buffer.from(entry).toString("latin1")).join(""),
    lengths: all.map((entry) => String.fromCharCode(entry.length + lengthCode)).join(""),
  };
}

/** The module of the engine that holds a vocabulary. */
export function vocabularyModule(entries: VocabularyEntries): string {
  const { bytes, lengths } = packEntries(entries);
  return `${notice}export const bytes: string = ${JSON.stringify(bytes)};\nexport const lengths: string = ${JSON.stringify(lengths)};\n`;
}

/** The encodings, with the lists that they are made of. */
export async function vocabularies(): Promise<Readonly<Record<string, VocabularyEntries>>> {
  const { default: o200k } = await import("gpt-tokenizer/bpeRanks/o200k_base");
  const { default: cl100k } = await import("gpt-tokenizer/bpeRanks/cl100k_base");
  return { o200k_base: o200k, cl100k_base: cl100k };
}

/** Where the module of an encoding lies. */
export const vocabularyFile = (name: string): URL =>
  new URL(`../packages/engine/src/tokens/vocabularies/${name}.ts`, import.meta.url);
