import { buildStudio } from "../../../scripts/build-studio.ts";

/** Runs once before the page tests. */
export const setup = (): Promise<void> => buildStudio();
