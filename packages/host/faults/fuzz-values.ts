import fc from "fast-check";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** As much of a JSON Schema as the daemon's documents use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** Texts that have broken something somewhere. */
export const oddTexts: readonly string[] = [
  "",
  " ",
  ".",
  "..",
  "../../../etc/passwd",
  "..\\..\\windows",
  "/etc/passwd",
  "C:\\x",
  "a\u0000b",
  "%00",
  "%2e%2e%2f",
  "\uD800",
  "x\uDFFFy",
  "\u202Etxt.exe",
  "con",
  "__proto__",
  "constructor",
  "toString",
  "' OR 1=1 --",
  "${env:HOME}",
  "{{key}}",
  "a\r\nx-injected: 1",
  "\u0007\u001B[2J",
  "🙂".repeat(300),
  "e\u0301".repeat(200),
  "x".repeat(70_000),
];

const oddNumbers: readonly number[] = [0, -0, -1, 1.5, 1e308, -1e308, 2 ** 53, 2 ** 31, 5e-324, 9_007_199_254_740_991];

function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300 }) },
);

/** Something that was not asked for. */
export const wrongValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: anyText },
  { weight: 3, arbitrary: fc.constantFrom<Json>(...oddNumbers) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Json>(null, true, false, [], {}, [null], { "": "" }, { length: 3 }, { toJSON: 1 }),
  },
  { weight: 1, arbitrary: fc.constantFrom(10, 1000, 4000).map(nested) },
  {
    weight: 1,
    arbitrary: fc.constant(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}') as Json),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
);

/** Documents whose own schemas are not in the OpenAPI document, good ones, by title. */
const documents: Readonly<Record<string, readonly Json[]>> = {
  UserMessage: [
    { role: "user", content: "hello" },
    { role: "user", content: [{ type: "text", text: "new topic: tea" }] },
    { role: "user", content: [{ type: "image", image: "iVBORw0KGgo=", mediaType: "image/png" }] },
  ],
  ModelMessage: [
    { role: "user", content: "What is in the pantry?" },
    { role: "assistant", content: "Tea." },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "t", input: {} }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c1", toolName: "t", output: { type: "text", value: "x" } }],
    },
    { role: "system", content: "Be brief." },
  ],
  Preset: [{ v: 1, mode: "simple", systemPrompt: "Be brief." }, { v: 1, mode: "advanced", recipes: [], steps: [] }, {}],
  SessionEntry: [
    { id: "e1", ts: 1, type: "message", message: { role: "user", content: "hello" } },
    { id: "e2", ts: 2, type: "custom", kind: "note", data: {} },
    { id: "e3", ts: 3, type: "compaction", summary: "x", firstKeptEntryId: "e1" },
  ],
};

/** Texts that mean something to the daemon, by the name of the field. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** Makes values that a schema takes, and values that are nearly so. */
export function fuzzValues(
  components: Readonly<Record<string, Schema>>,
  names: Names,
): { readonly valid: (schema: Schema, name?: string) => fc.Arbitrary<Json>; readonly spoilt: typeof spoil } {
  const valid = (schema: Schema, name = ""): fc.Arbitrary<Json> => {
    const title = schema.$ref?.replace("#/components/schemas/", "");
    if (title !== undefined) {
      const known = documents[title];
      if (known) return fc.constantFrom(...known);
      return title.startsWith("Shared_")
        ? (fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>)
        : valid(components[title] ?? {});
    }
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valid(one, name)));
    const type = Array.isArray(schema.type) ? (schema.type[0] as string) : schema.type;
    switch (type ?? "anything") {
      case "object":
        return objectOf(schema, valid);
      case "array":
        return fc.array(valid(schema.items ?? {}, name), { minLength: 1, maxLength: 4 });
      case "integer":
      case "number": {
        const min = Math.max(schema.minimum ?? 0, 0);
        return fc.integer({ min, max: Math.min(schema.maximum ?? Infinity, min + 50) });
      }
      case "boolean":
        return fc.boolean();
      case "string":
        return textOf(schema, names[name]);
      default:
        return fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
    }
  };
  return { valid, spoilt: spoil };
}

function textOf(
  { minLength = 0, maxLength = 200 }: Schema,
  known: readonly string[] | undefined,
): fc.Arbitrary<string> {
  const any = fc.oneof(fc.string({ minLength, maxLength: Math.min(maxLength, 60) }), fc.constantFrom(...oddTexts));
  return known ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: any }) : any;
}

function objectOf(
  { properties = {}, required = [] }: Schema,
  valid: (schema: Schema, name: string) => fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, valid(schema, name)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}

/** The same document with something wrong in it: a field that is missing, another type, something more. */
function spoil(document: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const change = fc.record({
    where: fc.nat(),
    how: fc.constantFrom("replace", "replace", "replace", "remove", "add", "wrap"),
    key: fc.oneof(fc.constantFrom("extra", "__proto__", "", "id", "key"), anyText),
    value: wrongValue,
  });
  return fc.tuple(document, fc.array(change, { minLength: 1, maxLength: 3 })).map(([whole, changes]) => {
    let present = whole;
    for (const { where, how, key, value } of changes) {
      const places = placesOf(present);
      const place = places[where % places.length] ?? [];
      present = changed(present, place, (old) => {
        if (how === "remove") return undefined;
        if (how === "wrap") return [old];
        if (how === "add" && isObject(old)) return Object.fromEntries([...Object.entries(old), [key, value]]);
        return value;
      });
    }
    return present;
  });
}

type Path = readonly (string | number)[];

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every place in a document, itself included; not far down, or it takes too long. */
function placesOf(value: Json, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null || path.length > 6) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value as object);
  return [path, ...entries.flatMap(([key, item]) => placesOf(item as Json, [...path, key]))];
}

function changed(value: Json, [first, ...rest]: Path, change: (old: Json) => Json | undefined): Json {
  if (first === undefined) return change(value) ?? null;
  const isLast = rest.length === 0;
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => {
      if (index !== first) return [item];
      const after = isLast ? change(item) : changed(item, rest, change);
      return after === undefined ? [] : [after];
    });
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      if (key !== first) return [[key, item]];
      const after = isLast ? change(item) : changed(item, rest, change);
      return after === undefined ? [] : [[key, after]];
    }),
  );
}
