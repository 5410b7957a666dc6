/** Secret values by name: session tokens, values from the environment. */
export type Secrets = Readonly<Record<string, string>>;

/** Shorter values would match by chance all over a text. */
export const minSecretLength = 4;

/** Puts `‹secret:name›` in the place of every secret in a text [P6]. Longer secrets first: one may hold another. */
export function redactText(text: string, secrets: Secrets): string {
  let result = text;
  for (const [name, value] of byLength(secrets)) result = result.replaceAll(value, `‹secret:${name}›`);
  return result;
}

/** The same value with the secrets taken out of every text in it, keys included. */
export function redactSecrets<Value>(value: Value, secrets: Secrets): Value {
  if (byLength(secrets).length === 0) return value;
  const clean = (item: unknown): unknown => {
    if (typeof item === "string") return redactText(item, secrets);
    if (Array.isArray(item)) return item.map(clean);
    if (typeof item !== "object" || item === null || ArrayBuffer.isView(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, field]) => [redactText(key, secrets), clean(field)]));
  };
  return clean(value) as Value;
}

function byLength(secrets: Secrets): (readonly [string, string])[] {
  return Object.entries(secrets)
    .filter(([, value]) => value.length >= minSecretLength)
    .sort(([, a], [, b]) => b.length - a.length);
}
