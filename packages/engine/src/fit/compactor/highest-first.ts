/** Bits that one pass sorts by: three passes go over all of a number. */
const bitsPerPass = 11;
const mask = (1 << bitsPerPass) - 1;
const starts = new Uint32Array(mask + 1);

/** The places of numbers that are not negative, the highest first; equal ones stay in their order. Sorted without a comparison. */
export function highestFirst(numbers: Float32Array): Uint32Array {
  // The bits of such numbers are in the order of the numbers.
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  let order = new Uint32Array(bits.length);
  let next = new Uint32Array(bits.length);
  for (let at = 0; at < order.length; at += 1) order[at] = at;
  for (let shift = 0; shift < 32; shift += bitsPerPass) {
    findStarts(bits, shift);
    for (let at = 0; at < order.length; at += 1) {
      const place = order[at] as number;
      const key = ((bits[place] as number) >>> shift) & mask;
      const start = starts[key] as number;
      starts[key] = start + 1;
      next[start] = place;
    }
    [order, next] = [next, order];
  }
  return order;
}

/** Where those with each key begin, the highest first. */
function findStarts(bits: Uint32Array, shift: number): void {
  starts.fill(0);
  for (let at = 0; at < bits.length; at += 1) {
    const key = ((bits[at] as number) >>> shift) & mask;
    starts[key] = (starts[key] as number) + 1;
  }
  let start = 0;
  for (let key = mask; key >= 0; key -= 1) {
    const count = starts[key] as number;
    starts[key] = start;
    start += count;
  }
}
