import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The files that take longest, in this order. A clean checkout remembers no times, and Vitest would go by size.
const longest = [
  "model-faults",
  "typing",
  "accessibility",
  "canvas-document",
  "mcp-faults",
  "compose-edit",
  "unsafe-paths",
]
  .concat("sdk-requests", "recipes", "pack", "chats-lost", "chats", "store-faults", "frame", "acp-size-faults")
  .concat("model-size-faults", "clock-faults", "daemon-faults", "worker-faults", "acp-faults", "daemon-kill-faults")
  .map((name) => `${name}.test.ts`);

function rank({ moduleId }: TestSpecification): number {
  const place = longest.indexOf(basename(moduleId));
  return place === -1 ? longest.length : place;
}

/** Starts the longest test files first, of whatever project, so that in the end no core waits for a single one. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
