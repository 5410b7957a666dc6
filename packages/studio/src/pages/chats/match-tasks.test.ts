import { expect, test } from "vitest";
import { isUnsettled, matchTasks } from "./match-tasks.ts";

const messages = ["q1", "a1", "q2", "a2", "q3"].map((id) => ({
  id,
  role: id.startsWith("q") ? ("user" as const) : ("assistant" as const),
}));
const task = (name: string, anchor: string | null, returned: "waiting" | "given" | "kept" | null = "given") => ({
  name,
  anchor,
  returned,
  finishedAt: returned === null ? null : 1,
});

test("[A1] a task stands below the reply that handed it over; all others are left, and none is lost", () => {
  const tasks = [
    task("first", "q1"),
    task("second", "q2", null),
    task("also second", "q2", "waiting"),
    task("replaced", "q2", "kept"),
    task("without a reply yet", "q3", null),
    task("of another topic", "elsewhere"),
    task("of nowhere", null),
  ];
  const { byReply, left } = matchTasks(messages, tasks);
  const names = (some: readonly { readonly name: string }[] = []) => some.map(({ name }) => name);
  expect(new Set(byReply.keys())).toEqual(new Set([1, 3]));
  expect([names(byReply.get(1)), names(byReply.get(3))]).toEqual([["first"], ["second", "also second"]]);
  expect(names(left)).toEqual(["replaced", "without a reply yet", "of another topic", "of nowhere"]);
  expect(names(tasks.filter(isUnsettled))).toEqual(["second", "also second", "without a reply yet"]);
});
