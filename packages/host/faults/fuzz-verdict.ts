import { GalleyError } from "@galley/engine";

/** What came of it: "fine", or the code of an error that says what to do. Whatever else is thrown is a defect. */
export function verdictOf(work: () => void): string {
  try {
    work();
    return "fine";
  } catch (error) {
    return codeOf(error);
  }
}

/** The same for work that takes its time. */
export async function verdictOfAsync(work: () => unknown): Promise<string> {
  try {
    await work();
    return "fine";
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof GalleyError) || error.code === "Unexpected" || error.message === "") throw error;
  return error.code;
}

/** Does what must work with something that was accepted before: no error is expected from here on. */
export function afterwards(what: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const why = cause instanceof GalleyError ? `${cause.code} at ${cause.path}: ${cause.message}` : String(cause);
    throw new Error(`${what}: ${why}`, { cause });
  }
}

/** Which of these have not come up: a generator that never gets through, or always does, says nothing. Not for one round. */
export function missing(verdicts: ReadonlySet<string>, wanted: readonly string[]): readonly string[] {
  return process.env["GALLEY_FUZZ_ROUND"] === undefined ? wanted.filter((verdict) => !verdicts.has(verdict)) : [];
}
