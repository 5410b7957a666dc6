import { hash } from "node:crypto";
import * as z from "zod";
import { type Route, errorBody, routes } from "../../api/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** Schemas that several places share, by name. */
type Shared = Map<string, unknown>;

export function openapiDocument(version: string): Json {
  const shared: Shared = new Map();
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, route] of Object.entries(routes as Readonly<Record<string, Route>>)) {
    const path = (paths[`/api${route.path}`] ??= {});
    path[route.method.toLowerCase()] = operation(name, route, shared);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Galley",
      version,
      summary: "What a model sees, what it said, and why.",
      description:
        "The daemon listens on this machine only. Programs send the token of daemon.json as a bearer token. " +
        "The same operations are JSON-RPC methods at /rpc, by their ids, with all arguments in one object; streams are not.",
    },
    servers: [{ url: "/", description: "This daemon." }],
    security: [{ token: [] }, { cookie: [] }],
    tags: [...new Set(Object.keys(routes).map(tagOf))].map((tag) => ({ name: tag })),
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The token of daemon.json in the data folder." },
        cookie: { type: "apiKey", in: "cookie", name: "galley_folder", description: "Set by a one-time link." },
      },
      schemas: { Error: schemaOf(errorBody, "output", shared), ...Object.fromEntries(shared) },
      responses: {
        Error: {
          description: "What went wrong, and what to do about it.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
      },
    },
  };
}

function operation(name: string, route: Route, shared: Shared): Json {
  const kind = route.stream ? "text/event-stream" : "application/json";
  const reply = schemaOf(route.reply, "output", shared);
  const sent = route.rawBody
    ? { "application/octet-stream": { schema: { type: "string" } } }
    : route.body && { "application/json": { schema: schemaOf(route.body, "input", shared) } };
  return {
    operationId: name,
    summary: route.summary,
    tags: [tagOf(name)],
    parameters: [
      ...parameters(route.params, "path", shared),
      ...parameters(route.query, "query", shared),
      ...resumption(route),
    ],
    ...(sent && { requestBody: { required: true, content: sent } }),
    responses: {
      "200": {
        description: route.stream ? "Server-sent events; the data of each is one such document." : "Done.",
        content: { [kind]: { schema: reply } },
      },
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

function resumption({ stream }: Route): readonly Json[] {
  if (!stream) return [];
  const description = "The id of the last event that was seen: the stream goes on behind it.";
  return [{ name: "Last-Event-ID", in: "header", required: false, description, schema: { type: "string" } }];
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

function parameters(schema: z.ZodType | undefined, place: "path" | "query", shared: Shared): readonly Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input", shared) as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    description,
    schema: property,
  }));
}

function schemaOf(schema: z.ZodType, io: "input" | "output", shared: Shared): Json {
  const {
    $schema: _,
    $defs = {},
    ...json
  } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // What comes in by an address is text; the number that it must hold is said instead of "anything".
      if (zodSchema._zod.def.type === "number" && Object.keys(jsonSchema).length === 0) jsonSchema.type = "number";
    },
  });
  // References count from the top of the document, so that what a schema refers to has to stand there.
  const names = new Map(Object.entries($defs).map(([name, definition]) => [name, sharedName(definition)]));
  for (const [name, definition] of Object.entries($defs)) {
    shared.set(names.get(name) ?? name, hoist(definition, names, shared));
  }
  return hoist(json, names, shared) as Json;
}

/** The only schema that refers to itself is that of any JSON; what is the same has the same name. */
function sharedName(definition: unknown): string {
  return `Shared_${hash("sha256", JSON.stringify(definition), "hex").slice(0, 8)}`;
}

/** Puts what has a title among the shared schemas, and gives references their new names. */
function hoist(value: unknown, names: ReadonlyMap<string, string>, shared: Shared): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, names, shared));
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, hoist(field, names, shared)]));
  const { $ref, title } = copy;
  if (typeof $ref === "string") {
    const name = $ref.replace("#/$defs/", "");
    return { ...copy, $ref: `#/components/schemas/${names.get(name) ?? name}` };
  }
  if (typeof title !== "string") return copy;
  shared.set(title, copy);
  return { $ref: `#/components/schemas/${title}` };
}

function tagOf(name: string): string {
  return name.split(".")[0] ?? name;
}
