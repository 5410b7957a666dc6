import fc from "fast-check";

/** Thrown by what the fuzz itself plants: a caller's own error may come back to the caller. */
export const planted = new Error("planted");

function plant(): never {
  throw planted;
}

const circle: unknown[] = [];
circle.push(circle, { circle });
let deep: unknown = [];
for (let level = 0; level < 3000; level += 1) deep = level % 2 === 0 ? [deep] : { deep };

/** What no caller should give, each made where it is put, so that nothing is remembered of it. */
const oddTexts = ["", "nope", "\ud800", "__proto__", "x".repeat(5000)];
const oddNumbers = [0, -1, 1.5, Number.NaN, Infinity, 1e308, 5, 10n];
const oddValues: readonly (() => unknown)[] = [undefined, null, true, Symbol("odd"), ...oddNumbers, ...oddTexts].map(
  (value) => (): unknown => value,
);
const oddObjects: readonly (() => unknown)[] = [
  () => ({}),
  () => [],
  () => [null],
  () => [undefined, {}],
  () => ({ length: 3 }),
  () => ({ type: "text" }),
  () => ({ role: "user" }),
  () => Object.freeze({}),
  () => Object.create(null) as unknown,
  () => new Map([["role", "user"]]),
  () => new Set([1]),
  () => new Uint8Array([0x89, 0x50]),
  () => [...circle],
  () => ({ circle }),
  () => ({ deep }),
  () => () => undefined,
  () => () => "nope",
  () => plant,
  () => Object.defineProperty({}, "type", { get: plant, enumerable: true }),
  () => new Proxy({}, { get: plant, has: plant, ownKeys: plant, getOwnPropertyDescriptor: plant }),
];

/** One place, found by walking down with these steps, and what is done there. */
interface Damage {
  readonly steps: readonly number[];
  readonly make: (() => unknown) | "delete";
}

export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    steps: fc.array(fc.nat(40), { minLength: 1, maxLength: 7 }),
    make: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...oddValues) },
      { weight: 3, arbitrary: fc.constantFrom(...oddObjects) },
      { weight: 1, arbitrary: fc.constant("delete" as const) },
    ),
  }),
  { maxLength: 3 },
);

export function damaged<Value>(value: Value, all: readonly Damage[]): Value {
  return all.reduce<unknown>((whole, { steps, make }) => {
    try {
      return damagedAt(whole, steps, make);
    } catch (error) {
      // What was put in before cannot be looked into.
      if (error === planted) return whole;
      throw error;
    }
  }, value) as Value;
}

/** A copy that shares everything beside the damage. */
function damagedAt(value: unknown, [step, ...rest]: readonly number[], make: Damage["make"]): unknown {
  if (step === undefined || typeof value !== "object" || value === null) return make === "delete" ? undefined : make();
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && !Array.isArray(value)) return make === "delete" ? undefined : make();
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return make === "delete" ? undefined : make();
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as Record<string, unknown>;
  if (rest.length === 0 && make === "delete") Reflect.deleteProperty(copy, key);
  else copy[key] = damagedAt(copy[key], rest, make);
  return copy;
}
