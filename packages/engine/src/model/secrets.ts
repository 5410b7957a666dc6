import { textCheck, textsByNameCheck, wrongInput } from "./check/input.ts";

/** Secret values by name: session tokens, values from the environment. */
export type Secrets = Readonly<Record<string, string>>;

/** Shorter values would match by chance all over a text. */
export const minSecretLength = 4;

/** Puts `‹secret:name›` in the place of every secret in a text [P6]. Longer secrets first: one may hold another. */
export function redactText(text: string, secrets: Secrets): string {
  textCheck(text, "text");
  let result = text;
  for (const [name, value] of byLength(secrets)) result = result.replaceAll(value, `‹secret:${name}›`);
  return result;
}

/** The same value with the secrets taken out of every text in it, keys included. */
export function redactSecrets<Value>(value: Value, secrets: Secrets): Value {
  if (byLength(secrets).length === 0) return value;
  const clean = (item: unknown, level: number): unknown => {
    if (typeof item === "string") return redactText(item, secrets);
    if (typeof item !== "object" || item === null || ArrayBuffer.isView(item)) return item;
    if (level > maxDepth) throw wrongInput("value", `nested at most ${maxDepth} levels deep`, item);
    if (Array.isArray(item)) return item.map((each) => clean(each, level + 1));
    return Object.fromEntries(
      Object.entries(item).map(([key, field]) => [redactText(key, secrets), clean(field, level + 1)]),
    );
  };
  return clean(value, 0) as Value;
}

/** Deeper than anything that is sent or stored. */
const maxDepth = 500;

function byLength(secrets: Secrets): (readonly [string, string])[] {
  textsByNameCheck(secrets, "secrets");
  return Object.entries(secrets)
    .filter(([, value]) => value.length >= minSecretLength)
    .sort(([, a], [, b]) => b.length - a.length);
}
