import { afterAll } from "vitest";
import { cleanUp } from "./after-each-file.test-support.ts";

// Runs for each test file.
afterAll(cleanUp);
