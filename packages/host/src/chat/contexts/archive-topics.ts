/** What of an archive says to which topic it belongs. */
interface TopicItem {
  readonly contextId: string;
  readonly opening: string;
  readonly recent?: string | undefined;
}

/**
 * The archives with the copies of one topic under the newest of them [A10]: until a topic had one archive, each time that it was
 * put away left a copy. Two are of one topic when they begin with the same message, or when one begins where the other's last
 * messages, or its summary, were recalled. Newest first, as they come in.
 */
export function groupByTopic<Item extends TopicItem>(
  items: readonly Item[],
): readonly (Item & { readonly copies?: readonly string[] })[] {
  const topicOf = topics(items);
  const newest = new Map<string, { item: Item; copies: string[] }>();
  for (const item of items) {
    const topic = topicOf(item);
    const found = newest.get(topic);
    if (found) found.copies.push(item.contextId);
    else newest.set(topic, { item, copies: [] });
  }
  return [...newest.values()].map(({ item, copies }) => (copies.length === 0 ? item : { ...item, copies }));
}

function topics(items: readonly TopicItem[]): (item: TopicItem) => string {
  const byId = new Map(items.map((item) => [item.contextId, item]));
  const byRecent = new Map(items.flatMap((item) => (item.recent === undefined ? [] : [[item.recent, item] as const])));
  return (item) => {
    let { opening } = item;
    for (const seen = new Set<string>(); !seen.has(opening);) {
      seen.add(opening);
      opening = (byId.get(opening) ?? byRecent.get(opening))?.opening ?? opening;
    }
    return opening;
  };
}
