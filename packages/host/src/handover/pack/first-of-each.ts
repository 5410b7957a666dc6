/** Buckets for each id: enough that nearly every id has one of its own. */
const roominess = 16;
/** Ids that were made at one moment differ only near the end. */
const telling = 12;

/**
 * The ids, each once, where it stood first. Most ids of a pack occur once: those are found by a bucket that nothing else
 * fell into, and only the rest has to be compared, which takes less than half the time of a set of all.
 */
export function firstOfEach(ids: readonly string[]): string[] {
  const mask = (1 << Math.ceil(Math.log2(ids.length * roominess + 2))) - 1;
  const buckets = new Uint8Array(mask + 1);
  const bucketOf = new Uint32Array(ids.length);
  let index = 0;
  for (const id of ids) {
    let hash = 0;
    for (let at = Math.max(0, id.length - telling); at < id.length; at += 1) {
      hash = Math.imul(hash, 31) + id.charCodeAt(at);
    }
    const bucket = (hash ^ (hash >>> 15)) & mask;
    bucketOf[index] = bucket;
    index += 1;
    buckets[bucket] = buckets[bucket] === 0 ? 1 : 2;
  }
  const compared = new Set<string>();
  return ids.filter((id, at) => {
    if (buckets[bucketOf[at] ?? 0] === 1) return true;
    const { size } = compared;
    return compared.add(id).size > size;
  });
}
