export interface ErrorDetails {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly path?: string;
  /** Everything that was found, where more than one thing is wrong. */
  readonly problems?: readonly ErrorDetails[];
}

/** What the daemon answered when it did not do as asked; the fields are those of a GalleyError. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly path: string | undefined;
  readonly problems: readonly ErrorDetails[] | undefined;
  /** The HTTP status; 0 when the daemon was not reached or the answer broke off. */
  readonly status: number;

  constructor(details: ErrorDetails, status: number) {
    super(details.message);
    this.name = "ApiError";
    this.code = details.code;
    this.hint = details.hint;
    this.path = details.path;
    this.problems = details.problems;
    this.status = status;
  }
}

/** The code of a call that did not reach the daemon. */
export const offlineCode = "Offline";

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
