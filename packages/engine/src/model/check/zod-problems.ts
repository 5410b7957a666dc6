import type * as z from "zod";
import { type ErrorCode, type Problem, GalleyError } from "./errors.ts";

type Issue = z.core.$ZodIssue;

/**
 * What a schema found, as problems with paths. Unknown fields are warnings where other programs may keep theirs in the same
 * document: they are kept, and said. Elsewhere they are errors, as a field that nothing reads is a mistake.
 */
export function problemsOf(
  issues: readonly Issue[],
  code: ErrorCode,
  base = "",
  unknownFields: "warning" | "error" = "warning",
): Problem[] {
  if (!Array.isArray(issues) || !issues.every(isIssue) || typeof base !== "string") {
    const hint = "safeParse of a zod schema gives them: result.error.issues.";
    throw new GalleyError("ContextInvalidInput", "issues must be a list of zod issues.", { path: "issues", hint });
  }
  return issues.flatMap((issue) => problemOf(issue, code, base, unknownFields));
}

function isIssue(issue: Issue | null | undefined): boolean {
  const isText = (value: unknown): boolean => typeof value === "string";
  const isKey = (value: unknown): boolean => ["string", "number", "symbol"].includes(typeof value);
  if (!isText(issue?.message) || !Array.isArray(issue?.path) || !issue.path.every(isKey)) return false;
  if (issue.code === "unrecognized_keys") return Array.isArray(issue.keys) && issue.keys.every(isText);
  return issue.code !== "invalid_union" || Array.isArray(issue.errors);
}

function problemOf(issue: Issue, code: ErrorCode, base: string, severity: "warning" | "error"): Problem[] {
  const path = formatPath(issue.path, base);
  if (issue.code === "unrecognized_keys") {
    const isError = severity === "error";
    return issue.keys.map((key) => ({
      severity,
      code,
      message: `Unknown field ${JSON.stringify(key)}${isError ? "." : ": it is kept, and has no effect."}`,
      path: formatPath([key], path),
      hint: isError ? "Check the spelling." : "Check the spelling, or leave it if another program needs it.",
    }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const branch = closestBranch(issue.errors);
    if (branch) return problemsOf(branch, code, path, severity);
  }
  return [{ severity: "error", code, message: sentenceOf(issue, path), path }];
}

/** The branch of a union that the value came nearest to: the one whose first problem lies deepest. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  let best: readonly Issue[] | undefined;
  for (const branch of branches) {
    const depth = branch[0]?.path.length ?? 0;
    if (depth > (best?.[0]?.path.length ?? 0)) best = branch;
  }
  return best;
}

function sentenceOf(issue: Issue, path: string): string {
  const where = path === "" ? "It" : path;
  return `${where}: ${issue.message.replace(/\.?$/, ".")}`;
}

const identifier = /^[A-Za-z_$][\w$]*$/;

/** A path as one would write it in code: `contextRecipes[0].steps[2].messageId`, `variables["two words"]`. */
function formatPath(keys: readonly PropertyKey[], base = ""): string {
  let path = base;
  for (const key of keys) {
    if (typeof key === "number") path += `[${key}]`;
    else if (identifier.test(String(key))) path += path === "" ? String(key) : `.${String(key)}`;
    else path += `[${JSON.stringify(String(key))}]`;
  }
  return path;
}
