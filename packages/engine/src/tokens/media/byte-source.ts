/** Bytes that are looked at here and there. */
export interface ByteSource {
  readonly length: number;
  /** The byte at a place; 0 beyond the end. */
  at(index: number): number;
}

const sextets = new Int8Array(128).fill(-1);
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
for (let value = 0; value < 64; value++) sextets[alphabet.charCodeAt(value)] = value;
// The alphabet of URLs.
sextets["-".charCodeAt(0)] = 62;
sextets["_".charCodeAt(0)] = 63;

/** Bytes as they are, or out of base64 text, of which only what is asked for is decoded. */
export function byteSource(data: Uint8Array | ArrayBuffer | string): ByteSource {
  if (typeof data === "string") return base64Source(data);
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  return { length: bytes.length, at: (index) => bytes[index] ?? 0 };
}

function base64Source(given: string): ByteSource {
  const comma = given.startsWith("data:") ? given.indexOf(",") + 1 : 0;
  // Broken into lines, a place in the text is no longer a place in the bytes.
  const text = /\s/.test(given.slice(comma, comma + 100)) ? given.slice(comma).replaceAll(/\s/g, "") : given;
  const start = text === given ? comma : 0;
  let end = text.length;
  while (end > start && text[end - 1] === "=") end--;
  const sextetAt = (index: number): number =>
    start + index < end ? (sextets[text.charCodeAt(start + index)] ?? -1) & 63 : 0;
  return {
    length: Math.floor(((end - start) * 3) / 4),
    at(index) {
      const group = Math.floor(index / 3) * 4;
      const within = index % 3;
      const pair = (sextetAt(group + within) << 6) | sextetAt(group + within + 1);
      return (pair >> (4 - within * 2)) & 0xff;
    },
  };
}
