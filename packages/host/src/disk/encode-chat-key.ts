import { hash } from "node:crypto";
import { GalleyError } from "@galley/engine";

const maxNameLength = 200;
const hashLength = 64;
/** Names that Windows keeps for devices, also with an extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * The folder name of a chat [W1]. Readable for ordinary keys, and never shared by two: what is left unescaped is lower-case
 * ASCII, so that the names differ also where a file system ignores the letter case. `~` only ever stands before a hash.
 */
export function encodeChatKey(key: string): string {
  if (typeof key !== "string" || key === "") {
    throw new GalleyError("ChatKeyInvalid", "A chat needs a key that is not empty.", { hint: "Name one, e.g. demo." });
  }
  if (!key.isWellFormed()) {
    const hint = "Check where the key was cut; a character such as an emoji was split in two.";
    throw new GalleyError("ChatKeyInvalid", "The chat key holds half of a character.", { hint });
  }
  const name = escapeDots(
    encodeURIComponent(key).replace(/%[0-9A-F]{2}|[A-Z!~*'()]/g, (piece) => (piece.length > 1 ? piece : escape(piece))),
  );
  const safe = deviceName.test(name) ? escape(name.charAt(0)) + name.slice(1) : name;
  if (safe.length <= maxNameLength) return safe;
  const prefix = safe.slice(0, maxNameLength - hashLength - 1).replace(/%[0-9A-F]?$/, "");
  return `${prefix}~${hash("sha256", key, "hex")}`;
}

/** At both ends. By hand: a pattern looks for the end again at every dot, which takes minutes where there are many. */
function escapeDots(name: string): string {
  let [start, end] = [0, name.length];
  while (name[start] === ".") start += 1;
  while (end > start && name[end - 1] === ".") end -= 1;
  const dots = (count: number): string => escape(".").repeat(count);
  return dots(start) + name.slice(start, end) + dots(name.length - end);
}

function escape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
