import fc from "fast-check";

/** There is no process in a browser. */
const { process: host } = globalThis as { process?: { env: Record<string, string | undefined> } };

// In `npm test` laws are tried with the same cases each time, so that it judges a change and not a draw. Whoever says how many
// cases there shall be (`npm run check`, `npm run test:deep`) gets others each time, with the seed in the error.
if (host?.env["GALLEY_LAW_RUNS"] === undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });
