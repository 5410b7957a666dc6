import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// The files that take longest, in this order. A clean checkout remembers no times, and Vitest would go by size.
const longest = ["recipes", "unsafe-paths", "model-faults", "worker-faults", "pack", "acp-size-faults", "mcp-faults"]
  .concat("version-faults", "postgres-away-faults", "daemon-faults", "agent-faults", "model-size-faults")
  .concat("daemon-kill-faults", "migrate-store", "clock-faults", "model-call-faults", "postgres-handover", "examples")
  .concat("canvas-document", "agent-command", "sdk-requests", "store-faults", "command-start", "acp-faults")
  .concat("fault-table", "handover-postgres", "locked-store-faults", "caller-authority", "bad-input")
  .concat("inspect", "accessibility", "typing", "chats", "chats-lost", "chat-list", "lorebook", "everyday", "frame")
  .concat("compose-edit", "hostile-text", "browsers", "import", "own-agents", "tour", "compose-access")
  .concat("import-corpus", "import-logs-corpus", "loop", "daemon-routes", "task-loop", "run-handover")
  .concat("long-input", "laws", "bad-files", "fit")
  .map((name) => `${name}.test.ts`);

// A worker stays for the next file of its own project; for one of another it is ended, and the next loads everything again.
// First what waits most, last what only counts and is short.
const projects = ["processes", "pages", "host", "repo", "studio", "engine"];

function placeIn(list: readonly string[], name: string): number {
  const place = list.indexOf(name);
  return place === -1 ? list.length : place;
}

const projectOf = ({ project }: TestSpecification): number => placeIn(projects, project.name);
const rankOf = ({ moduleId }: TestSpecification): number => placeIn(longest, basename(moduleId));

/** Goes from project to project, and starts the longest files of each first, so that no core waits for a single one. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => projectOf(a) - projectOf(b) || rankOf(a) - rankOf(b));
  }
}
