import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Declarations of limits by other words than `max…` and `min…`. A sequence may well be the longest one that was found. */
function otherLimits(text: string): readonly string[] {
  return Array.from(
    text.matchAll(
      /\b(?:const|let|readonly|function) ((?:most|least|largest|shortest|maximum|minimum|longest(?!Ascending|First))[A-Z]\w*)/g,
    ),
    ([, name]) => name ?? "",
  );
}

test("[V2] limits are called max and min", () => {
  const files = globSync("packages/*/{src,test,faults,testing}/**/*.{ts,tsx}", { cwd: root });
  const found = files.flatMap((file) =>
    otherLimits(readFileSync(join(root, file), "utf8")).map((name) => `${file} ${name}`),
  );
  expect(found).toEqual([]);
  expect(files.length).toBeGreaterThan(1000);
  expect(otherLimits("const mostCalls = 3; readonly maximumDepth: number;")).toEqual(["mostCalls", "maximumDepth"]);
});

test("[V1] a task is not called a turn where tasks are stored, packed and run", () => {
  const files = globSync(
    "packages/host/src/{{store/tasks,store/queue,handover,cli/commands/handover}/**/*,turn/run/worker}.ts",
    { cwd: root },
  );
  const found = files.filter((file) =>
    /\b[Tt]urns?(?:Id|s)?\b/.test(
      readFileSync(join(root, file), "utf8").replace(
        /formerQueue = "turns"|"(?:\.\.\/)+turn\/[^"]*"|turnId\b|in turns?\b|take turns|takes turns|(?:one|that|Which) turn\b/g,
        "",
      ),
    ),
  );
  expect(found).toEqual([]);
});
