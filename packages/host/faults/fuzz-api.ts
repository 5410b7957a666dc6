import fc from "fast-check";
import {
  type FuzzRequest,
  type FuzzSources,
  type Headers,
  type Operation,
  bodies,
  headersWith,
  nothing,
  oddMethod,
} from "./fuzz-requests.ts";
import { type Json, fuzzValues, oddTexts, wrongValue } from "./fuzz-values.ts";

/** Requests from the OpenAPI document: some are fine, most are not. */
export function apiRequests({ openapi, names, tokens }: FuzzSources): fc.Arbitrary<FuzzRequest> {
  const { valid, spoilt } = fuzzValues(openapi.components.schemas, names);
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  // Made once for each operation: making them is slow, drawing from them is not.
  const each = operations.map(({ path, method, operation }) => {
    const schema = operation.requestBody?.content["application/json"]?.schema;
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
  return fc.oneof(...each);
}

interface Given {
  readonly parameter: Operation["parameters"][number];
  readonly text: string;
  readonly isLeftOut: boolean;
  readonly escape: (text: string) => string;
}

const rawBytes = (text: string): string => text.replaceAll(/[\s\p{Cc}#?]/gu, "+");

/** How a text gets into an address: as it should, twice, not at all, or in bytes that are not UTF-8. */
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
