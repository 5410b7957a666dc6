import { join } from "node:path";
import { type Store, openStore } from "galley/store";
import { type Growth, interleave, median } from "./measure.ts";
import { fillBoxes, packBoxes } from "./pack.ts";

const boxCount = 10;

/** Ten boxes with this many cards together become one context box. */
export const packAt: Growth = async (sizes, folder) => {
  const stores: { readonly store: Store; readonly boxes: readonly string[] }[] = [];
  try {
    for (const size of sizes) {
      const store = await openStore({ data: join(folder, String(size)) });
      stores.push({ store, boxes: await fillBoxes(store, { boxCount, cardsPerBox: size / boxCount }) });
    }
    const sides = Object.fromEntries(
      stores.map(({ store, boxes }, index) => [String(index), () => packBoxes(store, boxes)]),
    );
    const times = await interleave({ rounds: 21, warmUp: 5, prepare: () => undefined }, sides);
    return stores.map((_, index) => median(times[String(index)] ?? []));
  } finally {
    for (const { store } of stores) await store.close();
  }
};
