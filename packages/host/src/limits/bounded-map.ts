/** What is remembered to save work, up to a size over all of it: what was used longest ago is forgotten first. */
export interface BoundedMap<Key, Value> {
  get(key: Key): Value | undefined;
  /** Remembers it as the one that was used last, which stays whatever its size. */
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

export function boundedMap<Key, Value>(maxSize: number, sizeOf: (value: Value) => number): BoundedMap<Key, Value> {
  // Those that were used last stand at the end. Sizes are those of the moment in which a value was set.
  const values = new Map<Key, { readonly value: Value; readonly size: number }>();
  let total = 0;
  const remove = (key: Key): void => {
    total -= values.get(key)?.size ?? 0;
    values.delete(key);
  };
  return {
    get: (key) => values.get(key)?.value,
    delete: remove,
    set(key, value) {
      remove(key);
      const size = sizeOf(value);
      values.set(key, { value, size });
      total += size;
      for (const oldest of values.keys()) {
        if (total <= maxSize || oldest === key) break;
        remove(oldest);
      }
    },
  };
}

/** Gives what belongs to an object and goes with it: made once for each key, of which those used longest ago are forgotten. */
export function madeBeside<Value>(maxKeys: number): (owner: object, key: string, make: () => Value) => Value {
  const owners = new WeakMap<object, BoundedMap<string, Value>>();
  return (owner, key, make) => {
    const known = owners.get(owner) ?? boundedMap<string, Value>(maxKeys, () => 1);
    owners.set(owner, known);
    const value = known.get(key) ?? make();
    known.set(key, value);
    return value;
  };
}
