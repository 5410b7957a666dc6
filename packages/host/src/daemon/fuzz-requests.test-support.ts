import fc from "fast-check";
import { type Json, type Names, type Schema, fuzzValues, oddTexts, wrongValue } from "./fuzz-values.test-support.ts";

/** A request as bytes would have it: nothing in it has to make sense. */
export interface FuzzRequest {
  readonly method: string;
  /** What stands behind the method, as it is. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
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

type Headers = FuzzRequest["headers"];

const json = (value: Json): Buffer => Buffer.from(JSON.stringify(value) ?? "");

/** Requests from the OpenAPI document: some are fine, most are not. */
export function apiRequests({ openapi, names, tokens }: FuzzSources): fc.Arbitrary<FuzzRequest> {
  const { valid, spoilt } = fuzzValues(openapi.components.schemas, names);
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return fc.constantFrom(...operations).chain(({ path, method, operation }) => {
    const schema = operation.requestBody?.content["application/json"].schema;
    const good = schema ? valid(schema) : fc.constant<Json>(null);
    const document = fc.oneof({ weight: 1, arbitrary: good }, { weight: 3, arbitrary: spoilt(good) });
    const params = operation.parameters.map((parameter) => {
      const text = valid(parameter.schema, parameter.name).map(String);
      const odd = fc.oneof(
        fc.constantFrom(...oddTexts),
        wrongValue.map((value) => JSON.stringify(value) ?? ""),
      );
      return fc.record({
        parameter: fc.constant(parameter),
        text: fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: odd }),
        isLeftOut: fc.boolean(),
        escape: escapes,
      });
    });
    return fc
      .record({
        method: fc.oneof({ weight: 12, arbitrary: fc.constant(method) }, { weight: 1, arbitrary: oddMethod }),
        params: fc.tuple(...params),
        extra: fc.oneof({ weight: 8, arbitrary: fc.constant("") }, { weight: 1, arbitrary: oddQuery }),
        body: schema ? bodies(document) : fc.oneof({ weight: 5, arbitrary: fc.constant(nothing) }, bodies(document)),
        headers: headersWith(tokens),
      })
      .map((made) => {
        const given = made.params as readonly Given[];
        const target = targetOf(path, given) + made.extra;
        const typed: Headers = made.body.type === undefined ? [] : [["content-type", made.body.type]];
        const lastEvent = given.find(({ parameter, isLeftOut }) => parameter.in === "header" && !isLeftOut);
        const resumed: Headers = lastEvent
          ? [["last-event-id", lastEvent.text.replaceAll(/[^ -~]/g, "?").slice(0, 500)]]
          : [];
        return { method: made.method, target, headers: [...made.headers, ...typed, ...resumed], body: made.body.bytes };
      });
  });
}

interface Given {
  readonly parameter: Operation["parameters"][number];
  readonly text: string;
  readonly isLeftOut: boolean;
  readonly escape: (text: string) => string;
}

const rawBytes = (text: string): string => text.replaceAll(/[\s\u0000-\u0020#?]/g, "+");

/** How a text gets into an address: as it should, twice, not at all, or in bytes that are no UTF-8. */
const escapes: fc.Arbitrary<(text: string) => string> = fc.oneof(
  { weight: 8, arbitrary: fc.constant((text: string) => encodeURIComponent(text.toWellFormed())) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (text: string) => encodeURIComponent(encodeURIComponent(text.toWellFormed())),
      (text: string) => rawBytes(text),
      (text: string) =>
        Buffer.from(text)
          .toString("latin1")
          .replaceAll(/[^!-~]|[#?/]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`),
      () => "%ed%a0%80",
      () => "%c0%ae%c0%ae%c0%af",
      () => "%",
      () => "%zz%0",
      () => "..%2f..%2fdaemon.json",
      () => "%00",
    ),
  },
);

function targetOf(path: string, params: readonly Given[]): string {
  let place = path;
  const query: string[] = [];
  for (const { parameter, text, isLeftOut, escape } of params) {
    if (parameter.in === "path") place = place.replace(`{${parameter.name}}`, () => escape(text));
    if (parameter.in === "query" && (parameter.required || !isLeftOut)) query.push(`${parameter.name}=${escape(text)}`);
  }
  return `${place}${query.length > 0 ? `?${query.join("&")}` : ""}`.slice(0, 20_000);
}

const oddMethod = fc.constantFrom(
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
const oddQuery = fc.constantFrom(
  "?",
  "?limit=1&limit=2",
  "?__proto__[x]=1",
  "?%=%",
  "&&&=",
  "?q=%ff%fe",
  "?confirm",
  "/",
  "//",
  "/..",
  ";x=1",
  "?limit=1e9",
);

interface Body {
  readonly bytes: Buffer;
  readonly type: string | undefined;
}

const nothing: Body = { bytes: Buffer.alloc(0), type: undefined };

/** A document in bytes, in the right wrapping most of the time. */
function bodies(document: fc.Arbitrary<Json>): fc.Arbitrary<Body> {
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
function headersWith(tokens: readonly string[]): fc.Arbitrary<Headers> {
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

function posted(
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

const anyId = fc.oneof({ weight: 4, arbitrary: fc.nat() as fc.Arbitrary<Json> }, { weight: 1, arbitrary: wrongValue });

/** Calls of JSON-RPC: the operations of the document and the tools, alone and in batches. */
export function rpcRequests({ openapi, tools, names, tokens }: FuzzSources): fc.Arbitrary<FuzzRequest> {
  const { valid, spoilt } = fuzzValues(openapi.components.schemas, names);
  const methods = [
    ...Object.values(openapi.paths).flatMap((path) =>
      Object.values(path).map((operation) => ({ method: operation.operationId, params: argumentsOf(operation) })),
    ),
    ...tools.map(({ rpcMethod, parameters }) => ({ method: rpcMethod, params: parameters })),
  ];
  const call = fc.constantFrom(...methods).chain(({ method, params }) => {
    const good = valid(params);
    return fc.record(
      {
        jsonrpc: fc.constant("2.0"),
        id: anyId,
        method: fc.oneof({ weight: 15, arbitrary: fc.constant<Json>(method) }, { weight: 1, arbitrary: wrongValue }),
        params: fc.oneof({ weight: 2, arbitrary: good }, { weight: 3, arbitrary: spoilt(good) }),
      },
      { requiredKeys: ["jsonrpc", "method"] },
    ) as fc.Arbitrary<Json>;
  });
  const one = fc.oneof(
    { weight: 6, arbitrary: call },
    { weight: 1, arbitrary: spoilt(call) },
    { weight: 1, arbitrary: wrongValue },
  );
  const batch = fc.array(one, { maxLength: 5 }) as fc.Arbitrary<Json>;
  const many = call.map((single): Json => Array.from({ length: 60 }, () => single));
  return posted(
    "/rpc",
    fc.oneof({ weight: 10, arbitrary: one }, { weight: 2, arbitrary: batch }, { weight: 1, arbitrary: many }),
    tokens,
  );
}

/** All arguments of an operation in one object. */
function argumentsOf({ parameters, requestBody }: Operation): Schema {
  const own = parameters.filter((parameter) => parameter.in !== "header");
  const body = requestBody?.content["application/json"].schema;
  return {
    type: "object",
    properties: { ...Object.fromEntries(own.map(({ name, schema }) => [name, schema])), ...body?.properties },
    required: [...own.filter(({ required }) => required).map(({ name }) => name), ...(body?.required ?? [])],
  };
}

/** Messages of MCP, in no order. */
export function mcpRequests({ openapi, tools, names, tokens }: FuzzSources): fc.Arbitrary<FuzzRequest> {
  const { valid, spoilt } = fuzzValues(openapi.components.schemas, names);
  const message = (method: string, params: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
    fc.record(
      { jsonrpc: fc.constant("2.0"), id: anyId, method: fc.constant(method), params },
      { requiredKeys: ["jsonrpc", "method"] },
    ) as fc.Arbitrary<Json>;
  const versions = fc.constantFrom("2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28", "1", "");
  const hello = versions.map((protocolVersion): Json => ({
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "fuzz", version: "1" },
  }));
  const calls = fc.constantFrom(...tools).chain(({ name, parameters }) => {
    const good = valid(parameters);
    const args = fc.oneof({ weight: 2, arbitrary: good }, { weight: 3, arbitrary: spoilt(good) });
    return message(
      "tools/call",
      fc.record(
        { name: fc.oneof({ weight: 9, arbitrary: fc.constant<Json>(name) }, wrongValue), arguments: args },
        { requiredKeys: [] },
      ) as fc.Arbitrary<Json>,
    );
  });
  const others = fc
    .constantFrom(
      "ping",
      "tools/list",
      "resources/list",
      "resources/read",
      "prompts/get",
      "completion/complete",
      "logging/setLevel",
      "notifications/initialized",
      "notifications/cancelled",
      "notifications/progress",
      "sampling/createMessage",
      "roots/list",
      "server/discover",
      "rpc.discover",
      "__proto__",
    )
    .chain((method) => message(method, fc.oneof(fc.constant<Json>({}), wrongValue)));
  const answer = fc.record({ jsonrpc: fc.constant("2.0"), id: anyId, result: wrongValue }) as fc.Arbitrary<Json>;
  const any = fc.oneof(
    { weight: 2, arbitrary: message("initialize", hello) },
    { weight: 6, arbitrary: calls },
    { weight: 3, arbitrary: others },
    { weight: 1, arbitrary: answer },
  );
  const one = fc.oneof(
    { weight: 4, arbitrary: any },
    { weight: 1, arbitrary: spoilt(any) },
    { weight: 1, arbitrary: wrongValue },
  );
  const batch = fc.array(one, { maxLength: 5 }) as fc.Arbitrary<Json>;
  return posted("/mcp", fc.oneof({ weight: 8, arbitrary: one }, { weight: 1, arbitrary: batch }), tokens, [
    ["accept", "application/json, text/event-stream"],
  ]);
}
