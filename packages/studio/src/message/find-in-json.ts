import { hasWords } from "../api/words.ts";

type Path = readonly (string | number)[];

interface JsonHit {
  readonly path: Path;
  readonly value: unknown;
}

/** More would be no list that somebody reads. */
const maxHits = 200;

/** The values, and the keys, in which every word stands, in the order of the text. */
export function findInJson(value: unknown, wanted: string): readonly JsonHit[] {
  const hits: JsonHit[] = [];
  const visit = (item: unknown, path: Path): void => {
    if (hits.length >= maxHits) return;
    if (typeof item === "object" && item !== null) {
      for (const [key, inner] of Object.entries(item)) visit(inner, [...path, Array.isArray(item) ? Number(key) : key]);
    } else if (hasWords(String(item), wanted) || hasWords(String(path.at(-1) ?? ""), wanted))
      hits.push({ path, value: item });
  };
  visit(value, []);
  return hits;
}

/** `messages[3].content` */
export function jsonPath(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`),
    "",
  );
}
