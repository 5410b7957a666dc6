import fc from "fast-check";
import { type FuzzRequest, type FuzzSources, type Operation, posted } from "./fuzz-requests.ts";
import { type Json, type Schema, fuzzValues, wrongValue } from "./fuzz-values.ts";

const anyId = fc.oneof({ weight: 4, arbitrary: fc.nat() }, { weight: 1, arbitrary: wrongValue });

/** Calls of JSON-RPC: the operations of the document and the tools, alone and in batches. */
export function rpcRequests({ openapi, tools, names, tokens }: FuzzSources): fc.Arbitrary<FuzzRequest> {
  const { valid, spoilt } = fuzzValues(openapi.components.schemas, names);
  const methods = [
    ...Object.values(openapi.paths).flatMap((path) =>
      Object.values(path).map((operation) => ({ method: operation.operationId, params: argumentsOf(operation) })),
    ),
    ...tools.map(({ rpcMethod, parameters }) => ({ method: rpcMethod, params: parameters })),
  ];
  const eachCall = methods.map(({ method, params }) => {
    const good = valid(params);
    return fc.record(
      {
        jsonrpc: fc.constant("2.0"),
        id: anyId,
        method: fc.oneof({ weight: 15, arbitrary: fc.constant<Json>(method) }, { weight: 1, arbitrary: wrongValue }),
        params: fc.oneof({ weight: 2, arbitrary: good }, { weight: 3, arbitrary: spoilt(good) }),
      },
      { requiredKeys: ["jsonrpc", "method"] },
    );
  });
  const call = fc.oneof(...eachCall);
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
  const body = requestBody?.content["application/json"]?.schema;
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
    );
  const versions = fc.constantFrom("2025-06-18", "2025-03-26", "2024-11-05", "2026-07-28", "1", "");
  const hello = versions.map((protocolVersion): Json => ({
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "fuzz", version: "1" },
  }));
  const calls = tools.map(({ name, parameters }) => {
    const good = valid(parameters);
    const args = fc.oneof({ weight: 2, arbitrary: good }, { weight: 3, arbitrary: spoilt(good) });
    return message(
      "tools/call",
      fc.record(
        { name: fc.oneof({ weight: 9, arbitrary: fc.constant<Json>(name) }, wrongValue), arguments: args },
        { requiredKeys: [] },
      ),
    );
  });
  const others = otherMethods.map((method) => message(method, fc.oneof(fc.constant<Json>({}), wrongValue)));
  const answer = fc.record({ jsonrpc: fc.constant("2.0"), id: anyId, result: wrongValue }) as fc.Arbitrary<Json>;
  const any = fc.oneof(
    { weight: 2, arbitrary: message("initialize", hello) },
    { weight: 6, arbitrary: fc.oneof(...calls) },
    { weight: 3, arbitrary: fc.oneof(...others) },
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

const otherMethods = [
  "ping",
  "tools/list",
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
];
