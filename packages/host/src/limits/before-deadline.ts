import { GalleyError } from "@galley/engine";

/** Waits for something that may never come; what was begun is not ended by this. */
export async function beforeDeadline<Value>(
  waiting: Promise<Value>,
  milliseconds: number,
  what: string,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const hint =
        "The machine may be slow, or the program waits for something: see what it wrote to its standard error.";
      reject(new GalleyError("AgentFailed", `${what} took longer than ${milliseconds} ms.`, { hint, retryable: true }));
    }, milliseconds);
  });
  try {
    return await Promise.race([waiting, late]);
  } finally {
    clearTimeout(timer);
  }
}
