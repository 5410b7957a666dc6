import fc from "fast-check";

/** Browsers have no process. */
const { process: host } = globalThis as { process?: { env: Record<string, string | undefined> } };

// In `npm test` laws are tried with the same cases each time, so that it judges a change and not a draw. Where the number of
// cases is given (`npm run check`, `npm run test:deep`) they differ each time, with the seed in the error.
if (host?.env["GALLEY_LAW_RUNS"] === undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });
