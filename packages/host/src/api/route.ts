import * as z from "zod";

/** One route of the REST face: what goes in and what comes out, as schemas. The daemon serves it, OpenAPI shows it. */
export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api`; `{name}` stands for a parameter, which is one encoded segment. */
  readonly path: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly reply: Reply;
  /** Server-sent events instead of one document; `reply` is then one event. */
  readonly stream?: true;
  readonly largeBody?: true;
  /** The body is text of any size, which the handler reads as it comes, instead of a document. */
  readonly rawBody?: true;
}

export const get = routesWith("GET");
export const post = routesWith("POST");
export const put = routesWith("PUT");
export const patch = routesWith("PATCH");
export const del = routesWith("DELETE");

/** The routes of one method; each keeps the types of its schemas, and whether it is a stream. */
function routesWith(method: Route["method"]) {
  return <
    Params extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType = z.ZodUndefined,
    Reply extends z.ZodType = z.ZodType,
    Stream extends true | false = false,
  >(
    path: string,
    summary: string,
    parts: Omit<Route<Params, Query, Body, Reply>, "method" | "path" | "summary"> & { readonly stream?: Stream },
  ): Route<Params, Query, Body, Reply> & (Stream extends true ? { readonly stream: true } : unknown) =>
    ({ method, path, summary, ...parts, ...(parts.body ? { body: refuseUnknown(parts.body) } : {}) }) as Route<
      Params,
      Query,
      Body,
      Reply
    > & { readonly stream: true };
}

/** A field of a body that no handler reads is a mistake of its sender, and said [T3]. */
function refuseUnknown(body: z.ZodType): z.ZodType {
  return body instanceof z.ZodObject && body.def.catchall === undefined ? body.strict() : body;
}
