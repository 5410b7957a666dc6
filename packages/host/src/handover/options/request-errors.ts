import { GalleyError, type Problem } from "@galley/engine";
import type * as z from "zod";

/** The request cannot be served as it is; the path says which part of it. */
export function badRequest(path: string, message: string, hint?: string): GalleyError {
  return new GalleyError("BadRequest", message, { path, ...(hint === undefined ? {} : { hint }) });
}

/** What the request names does not exist, or belongs to another project: the two look the same from outside [H9]. */
export function notFound(path: string, message: string, hint?: string): GalleyError {
  return new GalleyError("NotFound", message, { path, ...(hint === undefined ? {} : { hint }) });
}

/** What the request names exists, but not for this caller [H6]. */
export function forbidden(path: string, message: string, hint?: string): GalleyError {
  return new GalleyError("Forbidden", message, { path, ...(hint === undefined ? {} : { hint }) });
}

/** A path with its keys and indexes between dots: `args.tasks.0.target_strategy`. */
export function dotted(base: string, ...keys: readonly PropertyKey[]): string {
  return [base, ...keys.map(String)].filter((key) => key !== "").join(".");
}

/** Parses what came from outside; everything that is wrong is in the error, each with its path. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown, base: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => problemsOfIssue(issue, base));
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw new GalleyError("BadRequest", `${first?.message ?? "The request is not valid."}${more}`, {
    path: first?.path ?? base,
    problems,
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
  });
}

function problemsOfIssue(issue: z.core.$ZodIssue, base: string): Problem[] {
  const path = dotted(base, ...issue.path);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) =>
      problem(
        dotted(path, key),
        `${dotted(path, key)} is no field of this request.`,
        "Check the spelling, or leave it out.",
      ),
    );
  }
  if (issue.code === "invalid_union") {
    const [branch] = issue.errors.toSorted((a, b) => (b[0]?.path.length ?? 0) - (a[0]?.path.length ?? 0));
    if (branch?.[0] && branch[0].path.length > 0) return branch.flatMap((inner) => problemsOfIssue(inner, path));
  }
  return [problem(path, `${path}: ${issue.message.replace(/\.?$/, ".")}`)];
}

function problem(path: string, message: string, hint?: string): Problem {
  return { severity: "error", code: "BadRequest", path, message, ...(hint === undefined ? {} : { hint }) };
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
    throw new GalleyError(code, message, {
      path: dotted(base, named, ...rest),
      problems,
      ...(hint === undefined ? {} : { hint }),
      ...(cause === undefined ? {} : { cause }),
    });
  }
}
