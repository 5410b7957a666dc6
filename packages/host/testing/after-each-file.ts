type Clean = () => void | Promise<void>;

const cleaners: Clean[] = [];

/**
 * For modules that many test files use: they are loaded once for all of them, so that an `afterAll` of theirs would be
 * heard after the first file alone.
 */
export function afterEachFile(clean: Clean): void {
  cleaners.push(clean);
}

/** What was registered last is cleaned first. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleaners.toReversed()) await clean();
}
