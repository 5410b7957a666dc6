const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function encodeBase64(bytes: Uint8Array): string {
  const blocks: string[] = [];
  for (let index = 0; index < bytes.length; index += 3) {
    const block = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    const length = Math.min(3, bytes.length - index) + 1;
    let text = "";
    for (let digit = 0; digit < 4; digit += 1)
      text += digit < length ? alphabet[(block >> (18 - 6 * digit)) & 63] : "=";
    blocks.push(text);
  }
  return blocks.join("");
}

/** The text that base64 of UTF-8 stands for, or nothing when it is not that. */
export function decodeBase64Text(base64: string): string | undefined {
  const escapes: string[] = [];
  let buffer = 0;
  let bits = 0;
  const given = base64.replace(/\s/g, "");
  // By hand: a pattern looks for the end again at every sign, which takes minutes where there are many.
  let end = given.length;
  while (given[end - 1] === "=") end -= 1;
  for (const character of given.slice(0, end).replaceAll("-", "+").replaceAll("_", "/")) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return undefined;
    buffer = ((buffer << 6) | digit) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    escapes.push(`%${((buffer >> bits) & 0xff).toString(16).padStart(2, "0")}`);
  }
  return decodeEscapes(escapes.join(""));
}

export function encodeBase64Text(text: string): string {
  const escaped = encodeURIComponent(text.toWellFormed());
  const bytes: number[] = [];
  for (let index = 0; index < escaped.length; index += 1) {
    if (escaped[index] === "%") {
      bytes.push(Number.parseInt(escaped.slice(index + 1, index + 3), 16));
      index += 2;
    } else bytes.push(escaped.charCodeAt(index));
  }
  return encodeBase64(Uint8Array.from(bytes));
}

/** Undoes percent-encoding; nothing when the bytes are not UTF-8. */
export function decodeEscapes(escaped: string): string | undefined {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}
