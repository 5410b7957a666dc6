// With nothing of the project's own: the terminal has it before a command is chosen.

/** Bytes as text: UTF-16 is known by its mark, or by the zeros beside its first sign; bytes that are not text become U+FFFD. */
export async function* decodeText(bytes: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  let decode: ((piece?: Uint8Array) => string) | undefined;
  for await (const piece of bytes) {
    if (typeof piece === "string") {
      yield piece;
      continue;
    }
    decode ??= decoderFor(piece);
    yield decode(piece);
  }
  if (decode) yield decode();
}

function decoderFor([first = 1, second = 1]: Uint8Array): (piece?: Uint8Array) => string {
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const decoder = new TextDecoder(isLittle ? "utf-16le" : isBig ? "utf-16be" : "utf-8");
  return (piece) => (piece ? decoder.decode(piece, { stream: true }) : decoder.decode());
}
