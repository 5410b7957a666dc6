/** Bytes one behind the other. */
export function concatBytes(...parts: readonly (readonly number[] | Uint8Array)[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
