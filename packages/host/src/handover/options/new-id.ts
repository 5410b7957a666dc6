import { hash, randomUUID } from "node:crypto";

/** A UUID of version 7 in hex: ids that are made later sort behind those that were made before. */
export function newId(now = Date.now()): string {
  // One of version 4 has its random digits in the same places.
  const random = randomUUID().replaceAll("-", "");
  return `${now.toString(16).padStart(12, "0")}7${random.slice(13)}`;
}

/** The same id for the same parts, so that doing something again finds what was done. */
export function derivedId(...parts: readonly (string | number)[]): string {
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 32);
}
