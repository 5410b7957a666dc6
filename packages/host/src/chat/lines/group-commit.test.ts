import { GalleyError } from "@galley/engine";
import { expect, test } from "vitest";
import { groupCommit } from "./group-commit.ts";

test.each([
  ["StorageFailed", [["a", "b", "c"], ["a"], ["b"], ["c"]], ["fulfilled", "rejected", "fulfilled"]],
  ["DataLocked", [["a", "b", "c"]], ["rejected", "rejected", "rejected"]],
] as const)(
  "[W10] after %s those who share a commit are tried alone only if that may help",
  async (code, tries, ends) => {
    const tried: (readonly string[])[] = [];
    const commits = groupCommit<string>(async (items) => {
      tried.push(items);
      if (items.includes("b")) throw new GalleyError(code, "no");
    });
    const results = await Promise.allSettled(["a", "b", "c"].map((item) => commits.add(item)));
    expect(tried).toEqual(tries);
    expect(results.map(({ status }) => status)).toEqual(ends);
  },
);
