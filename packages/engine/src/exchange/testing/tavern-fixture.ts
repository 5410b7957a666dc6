import { encodeBase64 } from "../../model/base64.ts";
import { concatBytes } from "../../model/testing/concat-bytes.ts";
import { type MessageEntry } from "../../model/entries.ts";
import type { ModelMessage } from "../../model/messages.ts";
import type { ReplyKind } from "../../compose/activation/activation.ts";
import { composePreset } from "../../compose/compose-preset.ts";
import { parsePreset } from "../../compose/preset/parse-preset.ts";
import { crc32 } from "../files/bytes.ts";
import { importReport } from "../files/import-report.ts";
import type { TavernImport } from "../sillytavern/import-tavern.ts";
import { readTavernFile } from "../sillytavern/read/read-tavern-file.ts";
import type { TavernFile } from "../sillytavern/tavern-files.ts";

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function bigEndian(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

export interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
  /** Instead of the right one. */
  readonly crc?: number;
  /** Instead of the right one. */
  readonly length?: number;
}

export function png(...chunks: readonly Chunk[]): Uint8Array {
  const parts = [...chunks, { type: "IEND", data: new Uint8Array() }].map(({ type, data, ...wrong }: Chunk) => {
    const body = concatBytes(utf8(type), data);
    return concatBytes(
      Uint8Array.from(bigEndian(wrong.length ?? data.length)),
      body,
      Uint8Array.from(bigEndian(wrong.crc ?? crc32(body))),
    );
  });
  return concatBytes(Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts);
}

/** A tEXt chunk with a card. */
export function cardChunk(keyword: string, card: unknown): Chunk {
  return { type: "tEXt", data: concatBytes(utf8(`${keyword}\u0000`), utf8(encodeBase64(utf8(JSON.stringify(card))))) };
}

export interface Packed {
  readonly name: string;
  readonly data: Uint8Array;
  /** The unpacked size and checksum where `data` is deflated. */
  readonly deflated?: { readonly crc: number };
}

export function zip(...files: readonly Packed[]): Uint8Array {
  const little = (value: number, length: number): number[] =>
    Array.from({ length }, (_, index) => Math.floor(value / 256 ** index) & 255);
  let body: Uint8Array = new Uint8Array();
  let directory: Uint8Array = new Uint8Array();
  for (const { name, data, deflated } of files) {
    const path = utf8(name);
    const common = [
      ...little(deflated ? 8 : 0, 2),
      ...little(0, 4),
      ...little(deflated?.crc ?? crc32(data), 4),
      ...little(data.length, 4),
      ...little(data.length, 4),
      ...little(path.length, 2),
      ...little(0, 2),
    ];
    const local = Uint8Array.from([0x50, 0x4b, 3, 4, ...little(20, 2), ...little(0, 2), ...common]);
    const entry = [0x50, 0x4b, 1, 2, ...little(20, 2), ...little(20, 2), ...little(0, 2), ...common];
    const central = Uint8Array.from([...entry, ...little(0, 10), ...little(body.length, 4)]);
    directory = concatBytes(directory, central, path);
    body = concatBytes(body, local, path, data);
  }
  const end = [0x50, 0x4b, 5, 6, ...little(0, 4), ...little(files.length, 2), ...little(files.length, 2)];
  return concatBytes(
    body,
    directory,
    Uint8Array.from([...end, ...little(directory.length, 4), ...little(body.length, 4), 0, 0]),
  );
}

/** A value as the file that holds it. */
export function tavernFile(value: unknown, name = "file"): TavernFile {
  return readTavernFile(utf8(JSON.stringify(value)), { name }, importReport());
}

export function chatFile(...lines: readonly object[]): TavernFile {
  return readTavernFile(utf8(lines.map((line) => JSON.stringify(line)).join("\n")), { name: "chat" }, importReport());
}

/** What a model would read: `role: text`, with the speaker's name where there is one. */
export function sentBy({ preset, entries }: Pick<TavernImport, "preset" | "entries">, reply?: ReplyKind): string[] {
  const history = entries.filter((entry): entry is MessageEntry => entry.type === "message");
  return composePreset({ preset: parsePreset(JSON.stringify(preset)).preset, history, reply }).messages.map(shown);
}

function shown({ role, content, providerOptions }: ModelMessage): string {
  const name = providerOptions?.["openai"]?.["name"];
  return `${role}${typeof name === "string" ? `/${name}` : ""}: ${typeof content === "string" ? content : "…"}`;
}
