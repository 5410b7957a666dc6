import * as z from "zod";
import { type Route, errorBody, routes } from "../../api/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** The route table as an OpenAPI 3.1 document. */
export function openapiDocument(version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, route] of Object.entries(routes as Readonly<Record<string, Route>>)) {
    const path = (paths[`/api${route.path}`] ??= {});
    path[route.method.toLowerCase()] = operation(name, route);
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
        cookie: { type: "apiKey", in: "cookie", name: "galley_port", description: "Set by a one-time link." },
      },
      schemas: { Error: schemaOf(errorBody, "output") },
      responses: {
        Error: {
          description: "What went wrong, and what to do about it.",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
      },
    },
  };
}

function operation(name: string, route: Route): Json {
  const kind = route.stream ? "text/event-stream" : "application/json";
  const reply = schemaOf(route.reply, "output");
  return {
    operationId: name,
    summary: route.summary,
    tags: [tagOf(name)],
    parameters: [...parameters(route.params, "path"), ...parameters(route.query, "query"), ...resumption(route)],
    ...(route.body
      ? { requestBody: { required: true, content: { "application/json": { schema: schemaOf(route.body, "input") } } } }
      : {}),
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

function parameters(schema: z.ZodType | undefined, place: "path" | "query"): readonly Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input") as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
}

/** What comes in by an address is text; the number that it must hold is said instead of "anything". */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === "number" && Object.keys(jsonSchema).length === 0) jsonSchema.type = "number";
    },
  });
  return json;
}

function tagOf(name: string): string {
  return name.split(".")[0] ?? name;
}
