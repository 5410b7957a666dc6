const maxDepth = 100;

/** Whether two pieces of data say the same. The same object does; other objects that are not plain data do not. */
export function isSameData(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || depth > maxDepth) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) if (!isSameData(a[index], b[index], depth + 1)) return false;
    return true;
  }
  if (!isPlain(a) || !isPlain(b)) return false;
  // Both are plain, so that what is found is their own; no list of keys is made for each of thousands of messages.
  let more = 0;
  for (const key in a) {
    const other = (b as Data)[key];
    if (!isSameData((a as Data)[key], other, depth + 1) || (other === undefined && !Object.hasOwn(b, key)))
      return false;
    more += 1;
  }
  for (const _ in b) more -= 1;
  return more === 0;
}

type Data = Readonly<Record<string, unknown>>;

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
