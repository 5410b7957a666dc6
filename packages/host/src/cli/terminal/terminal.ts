import { text as readAll } from "node:stream/consumers";
import { decodeText } from "../../disk/decode-text.ts";
import { cleanScreen } from "./clean-text.ts";

/** What a command may touch of the outside: streams, and whether a person is looking. */
export interface Terminal {
  /** Whether a person is looking at the output. */
  readonly isTerminal: boolean;
  readonly isColoured: boolean;
  /** Width to lay tables out for; unlimited when no person is looking. */
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
  readStdin(): Promise<string>;
  /** Standard input line by line, as it comes. */
  readLines(): AsyncIterable<string>;
  /** Standard input in pieces of any size, as they come. */
  readPieces(): AsyncIterable<string>;
}

export type TerminalProcess = Pick<NodeJS.Process, "stdout" | "stderr" | "stdin" | "env">;

export function processTerminal({ stdout, stderr, stdin, env }: TerminalProcess = process): Terminal {
  // A reader that stops early (`| head`) is not an error.
  const end = async (error: NodeJS.ErrnoException, tell: (text: string) => void): Promise<never> => {
    if (error.code === "EPIPE") process.exit(0);
    const { isDiskFailure, storageError } = await import("../../disk/storage-error.ts");
    if (!isDiskFailure(error)) throw error;
    const { code, message, hint } = storageError(error, "Standard output", "written");
    tell(`error ${code}: ${message}\n  hint: ${hint}\n`);
    process.exit(1);
  };
  stdout.on("error", (error) => void end(error, (text) => stderr.write(text)));
  stderr.on("error", (error) => void end(error, () => undefined));
  // An answer that is cut short has no line end: what follows on the screen begins on a line of its own.
  let isLineOpen = false;
  const begin = (): string => (isLineOpen && stdout.isTTY && stderr.isTTY ? "\n" : "");
  return {
    isTerminal: stdout.isTTY,
    isColoured: stdout.isTTY && !env["NO_COLOR"],
    columns: stdout.isTTY ? stdout.columns : Infinity,
    out(text) {
      if (text !== "") isLineOpen = !text.endsWith("\n");
      stdout.write(stdout.isTTY ? cleanScreen(text) : text);
    },
    err(text) {
      stderr.write(begin() + (stderr.isTTY ? cleanScreen(text) : text));
      isLineOpen = false;
    },
    readStdin: () => readAll(stdin),
    readLines: () => splitLines(stdin),
    readPieces: () => decodeText(stdin),
  };
}

/** Only at line feeds: a text may hold any of the other characters that are called line ends. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // Of the line whose end has not come: a long one is not looked through again with every chunk.
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const [first = "", ...others] = text.split("\n");
    pieces.push(first);
    for (const other of others) {
      yield pieces.join("");
      pieces = [other];
    }
  }
  const rest = pieces.join("") + decoder.decode();
  if (rest !== "") yield rest;
}

export type Style = ReturnType<typeof styleFor>;

export function styleFor({ isColoured }: Terminal) {
  const paint = (code: number) => (text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: paint(1), dim: paint(2), red: paint(31), yellow: paint(33), green: paint(32), cyan: paint(36) };
}
