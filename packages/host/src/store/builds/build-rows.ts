import type { BuildItem, BuildUsage, NewBuild } from "../ports/build-store.ts";
import type { BuildRow } from "../database/tables.ts";

/** The columns that a list reads. */
export const itemColumns = ["n", "build_key", "details", "usage"] as const;

type Details = Omit<BuildItem, "n" | "key" | "usage">;

/** Everything of a build but its lists, as JSON. */
export function detailsOf(build: NewBuild): string {
  const { key: _key, messages: _messages, tools: _tools, ledger: _ledger, ...details } = build;
  return JSON.stringify(details satisfies Details);
}

export function fromItemRow(row: Pick<BuildRow, (typeof itemColumns)[number]>): BuildItem {
  return {
    ...(JSON.parse(row.details) as Details),
    n: row.n,
    key: row.build_key,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as BuildUsage),
  };
}
