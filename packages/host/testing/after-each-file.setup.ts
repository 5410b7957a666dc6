import { afterAll } from "vitest";
import { cleanUp } from "./after-each-file.ts";

// Runs for each test file.
afterAll(cleanUp);
