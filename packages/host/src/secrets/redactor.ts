import { type Secrets, redactText, minSecretLength } from "@galley/engine";
import { secretsInAddress, secretsInCredential } from "./secret-parts.ts";

/** What gives out tokens, and knows those that it gave out. */
interface TokenSource {
  known(): Iterable<{ readonly agentName: string; readonly token: string }>;
}

/** The secrets of a moment. */
interface Present {
  /** Values, and the names that stand for them. */
  readonly pairs: readonly (readonly [value: string, name: string])[];
  readonly secrets: Secrets;
  /** Whether a text holds any of them: most hold none, and need not be looked at by name. */
  readonly isIn: (text: string) => boolean;
  /** Those that are looked for in the names of fields as well. */
  readonly inKeys: Secrets;
}

function presentOf(pairs: Present["pairs"]): Present {
  const secrets: Record<string, string> = {};
  for (const [value, name] of pairs) {
    let key = name;
    for (let count = 2; Object.hasOwn(secrets, key); count += 1) key = `${name}~${count}`;
    secrets[key] = value;
  }
  const long = Object.entries(secrets).filter(([, secret]) => secret.length >= minLengthInKeys);
  const isIn = (text: string): boolean => pairs.some(([value]) => text.includes(value));
  return { pairs, secrets, isIn, inKeys: Object.fromEntries(long) };
}

/** Knows what must not be seen, and takes it out of whatever is about to be written [P6]. */
export class Redactor {
  /** Names by value: two variables may share a value, and one name may stand for several. */
  readonly #names = new Map<string, string>();
  readonly #stores = new Set<TokenSource>();
  #last: Present = presentOf([]);

  /** Masks a value from now on. Values that are too short to be told from ordinary text are not masked. */
  add(name: string, value: string): void {
    // Those who get a value use, and repeat, what stands in it: the token behind `Bearer`, the password of an address.
    for (const part of [value, ...secretsInCredential(value), ...secretsInAddress(value)]) {
      if (part.length < minSecretLength) continue;
      // Texts hold values also as JSON and as parts of addresses.
      for (const form of [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part.toWellFormed())]) {
        if (!this.#names.has(form)) this.#names.set(form, name);
      }
    }
  }

  /** Masks every environment value or header of the list. */
  addAll(values: Iterable<{ readonly name: string; readonly value: string }>): void {
    for (const { name, value } of values) this.add(name, value);
  }

  /** Masks all tokens of a store, those that it will make included. */
  watch(store: TokenSource): void {
    this.#stores.add(store);
  }

  /** What is masked at this moment, for functions of the engine that take secrets. */
  secrets(): Secrets {
    return this.#present().secrets;
  }

  /** The same objects for as long as the secrets are the same: what was found free of them need not be looked at again. */
  #present(): Present {
    const pairs = [...this.#names];
    for (const store of this.#stores) {
      for (const { agentName, token } of store.known()) pairs.push([token, `token:${agentName}`]);
    }
    const isKnown =
      pairs.length === this.#last.pairs.length &&
      pairs.every(([value, name], at) => this.#last.pairs[at]?.[0] === value && this.#last.pairs[at][1] === name);
    if (!isKnown) this.#last = presentOf(pairs);
    return this.#last;
  }

  /** The same value without the secrets. A bound function, so that it can be handed on as an option. */
  readonly redact = <Value>(value: Value): Value => {
    const { pairs, secrets, isIn, inKeys } = this.#present();
    if (pairs.length === 0) return value;
    const clean = (item: unknown): unknown => {
      if (typeof item === "string") return isIn(item) ? redactText(item, secrets) : item;
      if (Array.isArray(item)) return sameOr(item, item.map(clean));
      if (typeof item !== "object" || item === null || ArrayBuffer.isView(item)) return item;
      if (item instanceof ArrayBuffer) return item;
      if (item instanceof URL)
        return redactText(item.href, secrets) === item.href ? item : redactText(item.href, secrets);
      const fields = Object.entries(item);
      const cleaned = fields.map(([key, field]) => [isIn(key) ? redactText(key, inKeys) : key, clean(field)] as const);
      const isSame = isPlain(item) && fields.every(([key, field], at) => isPair(cleaned[at], key, field));
      return isSame ? item : Object.fromEntries(cleaned);
    };
    return clean(value) as Value;
  };
}

/** What holds no secret stays the very same object: what is known of it, such as its digest, need not be found out again. */
function sameOr(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, at) => item === before[at]) ? before : after;
}

function isPair(pair: readonly [string, unknown] | undefined, key: string, field: unknown): boolean {
  return pair !== undefined && pair[0] === key && pair[1] === field;
}

/** Others, errors above all, have more to them than their fields tell: they are always copied field by field. */
function isPlain(item: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(item);
  return prototype === Object.prototype || prototype === null;
}

/** `ROLE=agent` must not turn the field `agentName` into another one; a real secret in a key is longer than that. */
const minLengthInKeys = 12;
