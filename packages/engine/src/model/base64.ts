/** One character for each byte. */
export function latin1(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let from = 0; from < bytes.length; from += 0x20_00) {
    // Not spread: that takes six times as long.
    pieces.push(Reflect.apply(String.fromCharCode, undefined, bytes.subarray(from, from + 0x20_00)));
  }
  return pieces.join("");
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(latin1(bytes));
}

/** The bytes that base64 stands for, padded or not, in either alphabet; nothing when it is not base64. White space is ignored. */
export function decodeBase64(base64: string): Uint8Array | undefined {
  const digits = base64.replaceAll(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/");
  // By hand: a pattern looks for the end again at every sign, which takes minutes where there are many.
  let end = digits.length;
  while (digits[end - 1] === "=") end -= 1;
  // A last digit on its own is less than a byte.
  if (end % 4 === 1) end -= 1;
  let binary: string;
  try {
    binary = atob(digits.slice(0, end));
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
