import type { ErrorDetails } from "galley/api/client";

/** Reads any thrown thing as code, message, hint and path; the engine's errors have the same fields. */
export function describeError(error: unknown): ErrorDetails {
  if (!(error instanceof Error)) return { code: "Unexpected", message: String(error) };
  const { code, hint, path, problems } = error as Partial<ErrorDetails>;
  return {
    code: code ?? error.name,
    message: error.message,
    ...(hint && { hint }),
    ...(path && { path }),
    ...(problems && { problems }),
  };
}
