import fc from "fast-check";
import type { Json, Names, Schema } from "./fuzz-values.ts";

/** A request as bytes would have it: nothing in it has to make sense. */
export interface FuzzRequest {
  readonly method: string;
  /** What stands behind the method, as it is. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly "application/json"?: { readonly schema: Schema } } };
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Tool {
  readonly name: string;
  readonly rpcMethod: string;
  readonly parameters: Schema;
}

export interface FuzzSources {
  readonly openapi: OpenApi;
  readonly tools: readonly Tool[];
  /** Names that the daemon knows, by the field that holds them. */
  readonly names: Names;
  /** Bearer tokens to come with; the first is good. */
  readonly tokens: readonly string[];
}

export type Headers = FuzzRequest["headers"];

const json = (value: Json): Buffer => Buffer.from(JSON.stringify(value) ?? "");

export const oddMethod = fc.constantFrom(
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "get",
  "BREW",
);
export interface Body {
  readonly bytes: Buffer;
  readonly type: string | undefined;
}

export const nothing: Body = { bytes: Buffer.alloc(0), type: undefined };

/** A document in bytes, in the right wrapping most of the time. */
export function bodies(document: fc.Arbitrary<Json>): fc.Arbitrary<Body> {
  const plain = document.map((value): Body => ({ bytes: json(value), type: "application/json" }));
  const types = fc.constantFrom(
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "APPLICATION/JSON",
    "application/jsonp",
    "",
    "application/json;",
    "*/*",
  );
  const oddType = fc.tuple(document, types).map(([value, type]): Body => ({ bytes: json(value), type }));
  const broken = fc
    .tuple(document, fc.nat(), fc.constantFrom("cut", "byte", "more", "bom", "utf16", "comma"))
    .map(([value, at, how]) => ({
      bytes: broke(json(value), at, how),
      type: "application/json",
    }));
  const bytes = fc
    .uint8Array({ maxLength: 200 })
    .map((raw): Body => ({ bytes: Buffer.from(raw), type: "application/json" }));
  const deep = fc
    .constantFrom(20_000, 200_000)
    .map((depth): Body => ({ bytes: Buffer.from("[".repeat(depth) + "]".repeat(depth)), type: "application/json" }));
  const wide = fc.constant<Body>({
    bytes: Buffer.from(`{"a":"${"x".repeat(3 * 1024 * 1024)}"}`),
    type: "application/json",
  });
  return fc.oneof(
    { weight: 60, arbitrary: plain },
    { weight: 6, arbitrary: oddType },
    { weight: 10, arbitrary: broken },
    { weight: 4, arbitrary: bytes },
    { weight: 1, arbitrary: deep },
    { weight: 1, arbitrary: wide },
    { weight: 2, arbitrary: fc.constant(nothing) },
  );
}

function broke(bytes: Buffer, at: number, how: string): Buffer {
  const place = bytes.length === 0 ? 0 : at % bytes.length;
  switch (how) {
    case "cut":
      return bytes.subarray(0, place);
    case "byte":
      return Buffer.concat([bytes.subarray(0, place), Buffer.from([0xff, 0xfe, 0xc0]), bytes.subarray(place)]);
    case "bom":
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case "utf16":
      return Buffer.from(bytes.toString("utf8"), "utf16le");
    case "comma":
      return Buffer.concat([bytes, Buffer.from(",")]);
    default:
      return Buffer.concat([bytes, bytes]);
  }
}

/** Headers with a token, mostly the good one, and sometimes a trick. */
export function headersWith(tokens: readonly string[]): fc.Arbitrary<Headers> {
  const [good = "", ...others] = tokens;
  const authorization = fc.oneof(
    { weight: 14, arbitrary: fc.constant(`Bearer ${good}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "Bearer",
        `Basic ${good}`,
        "Bearer \t",
        `bearer  ${good}`,
        ...others.map((token) => `Bearer ${token}`),
      ),
    },
  );
  const tricks = fc.constantFrom<Headers[number]>(
    ["host", "evil.example"],
    ["host", ""],
    ["origin", "http://evil.example"],
    ["origin", "null"],
    ["transfer-encoding", "gzip"],
    ["content-encoding", "gzip"],
    ["content-length", "-1"],
    ["expect", "100-continue"],
    ["connection", "upgrade"],
    ["cookie", "galley_1=x; =; a=%zz"],
    ["accept", "*/*;q=x"],
    ["x-http-method-override", "DELETE"],
    ["last-event-id", "99999999999999999999"],
    ["range", "bytes=0-1,5-"],
    ["if-none-match", "*"],
    ["x-long", "y".repeat(20_000)],
    ["x-forwarded-host", "evil.example"],
    ["mcp-session-id", "nobody"],
    ["mcp-protocol-version", "1999-01-01"],
  );
  const trick = fc.oneof(
    { weight: 8, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(tricks, { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(authorization, trick).map(([value, more]): Headers => [["authorization", value], ...more]);
}

export function posted(
  target: string,
  document: fc.Arbitrary<Json>,
  tokens: readonly string[],
  more: Headers = [],
): fc.Arbitrary<FuzzRequest> {
  return fc
    .record({
      method: fc.oneof({ weight: 20, arbitrary: fc.constant("POST") }, { weight: 1, arbitrary: oddMethod }),
      body: bodies(document),
      headers: headersWith(tokens),
    })
    .map(({ method, body, headers }) => ({
      method,
      target,
      headers: [...headers, ...more, ...(body.type === undefined ? [] : [["content-type", body.type] as const])],
      body: body.bytes,
    }));
}
