import type { SessionEntry } from "@galley/engine";

/** A store of sessions in memory, which skips what it has. */
export function memory(): {
  readonly logs: Map<string, string[]>;
  readonly append: (id: string, entries: readonly SessionEntry[]) => Promise<number>;
} {
  const logs = new Map<string, string[]>();
  return {
    logs,
    async append(id, entries) {
      const own = logs.get(id) ?? [];
      logs.set(id, own);
      const fresh = entries.filter((entry) => !own.includes(entry.id));
      own.push(...fresh.map((entry) => entry.id));
      return fresh.length;
    },
  };
}
