import { GalleyError, throwOnErrors } from "@galley/engine";
import type * as z from "zod";
import { argumentProblems } from "../../tools/run-tool.ts";

type Refusal = (path: string, message: string, hint?: string) => GalleyError;

function refusal(code: "BadRequest" | "NotFound" | "Forbidden"): Refusal {
  return (path, message, hint) => new GalleyError(code, message, { path, hint });
}

/** The request cannot be served as it is; the path says which part of it. */
export const badRequest = refusal("BadRequest");

/** What the request names does not exist, or belongs to another project: the two look the same from outside [H9]. */
export const notFound = refusal("NotFound");

/** What the request names exists, but not for this caller [H6]. */
export const forbidden = refusal("Forbidden");

/** A path with its keys and indexes between dots: `args.tasks.0.target_strategy`. */
export function dotted(base: string, ...keys: readonly PropertyKey[]): string {
  return [base, ...keys.map(String)].filter((key) => key !== "").join(".");
}

/** Parses what came from outside; everything that is wrong is in the error, each with its path. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown, base: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throwOnErrors(argumentProblems(parsed.error.issues, "BadRequest", [base]));
  return parsed.data as z.output<Schema>;
}

/** Runs something that was asked for under other names, so that its errors name what the caller wrote. */
export async function withNames<Result>(
  names: Readonly<Record<string, string>>,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GalleyError) || error.path === undefined) throw error;
    const [base = "", ...keys] = error.path.split(".");
    const inside = `${keys.join(".")}.`;
    const found = Object.entries(names).find(([field]) => inside.startsWith(`${field}.`));
    if (!found) throw error;
    const [field, named] = found;
    const rest = keys.slice(field.split(".").length);
    const { code, message, hint, problems, cause } = error;
    throw new GalleyError(code, message, { path: dotted(base, named, ...rest), hint, problems, cause });
  }
}
