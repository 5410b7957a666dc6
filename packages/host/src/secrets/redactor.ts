import { type Secrets, redactText, minSecretLength } from "@galley/engine";
import { secretsInAddress, secretsInCredential } from "./secret-parts.ts";

/** What gives out tokens, and knows those that it gave out. */
interface TokenSource {
  known(): Iterable<{ readonly agentName: string; readonly token: string }>;
}

/** Knows what must not be seen, and takes it out of whatever is about to be written [P6]. */
export class Redactor {
  /** Names by value: two variables may share a value, and one name may stand for several. */
  readonly #names = new Map<string, string>();
  readonly #stores = new Set<TokenSource>();

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
    const found: Record<string, string> = {};
    const put = (name: string, value: string): void => {
      let key = name;
      for (let count = 2; Object.hasOwn(found, key); count += 1) key = `${name}~${count}`;
      found[key] = value;
    };
    for (const [value, name] of this.#names) put(name, value);
    for (const store of this.#stores) for (const token of store.known()) put(`token:${token.agentName}`, token.token);
    return found;
  }

  /** The same value without the secrets. A bound function, so that it can be handed on as an option. */
  readonly redact = <Value>(value: Value): Value => {
    const secrets = this.secrets();
    if (Object.keys(secrets).length === 0) return value;
    const inKeys = Object.fromEntries(Object.entries(secrets).filter(([, secret]) => secret.length >= minLengthInKeys));
    const clean = (item: unknown): unknown => {
      if (typeof item === "string") return redactText(item, secrets);
      if (Array.isArray(item)) return sameOr(item, item.map(clean));
      if (typeof item !== "object" || item === null || ArrayBuffer.isView(item)) return item;
      const fields = Object.entries(item);
      const cleaned = fields.map(([key, field]) => [redactText(key, inKeys), clean(field)] as const);
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
