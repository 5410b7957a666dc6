/** What a provider demands of the ids of tool calls. */
export interface IdRule {
  /** Matches every character that may not stand in an id. */
  readonly illegal?: RegExp;
  readonly maximum?: number;
}

/**
 * Gives each call an id of its own that its provider takes. An id that is legal and new stays as it is; any other is
 * made legal and numbered. What comes later never changes an earlier id, so that a cached prefix stays valid.
 */
export function wireIds({ illegal, maximum = Infinity }: IdRule): (id: string) => string {
  const used = new Set<string>();
  const counts = new Map<string, number>();
  return (id) => {
    const base = legalId(id, { illegal, maximum });
    let wireId = base;
    let count = counts.get(base) ?? 1;
    while (used.has(wireId)) {
      count += 1;
      const suffix = `_${count}`;
      wireId = base.slice(0, Math.max(0, maximum - suffix.length)) + suffix;
    }
    counts.set(base, count);
    used.add(wireId);
    return wireId;
  };
}

/** The id with its illegal characters replaced and cut to length; not necessarily unique. */
export function legalId(id: string, { illegal, maximum = Infinity }: IdRule): string {
  const legal = illegal ? id.replace(illegal, "_") : id;
  return legal === "" ? "call" : legal.slice(0, maximum);
}
