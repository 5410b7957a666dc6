/**
 * The path of a request as a person reads it. What stands there in half-encoded form would be found by no search for what
 * it says, and so not be masked either [P6]; bytes that are no text stay as they are.
 */
export function pathForLog(path: string): string {
  return path.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}
