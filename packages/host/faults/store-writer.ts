// A process that packs boxes of ten cards, one after the other, and says which are done: node … OPTIONS NAME
import { type StoreOptions, openStore } from "../src/store/open-store.ts";
import { cardOf, itemsOf } from "../src/store/testing/store-samples.ts";

const [options = "{}", name = ""] = process.argv.slice(2);
const store = await openStore(JSON.parse(options) as StoreOptions);
for (let box = 0; ; box += 1) {
  const id = `${name}.${box}`;
  const ids = Array.from({ length: 10 }, (_, n) => `${id}.${n}`);
  const boxes = [{ id, items: itemsOf(...ids) }];
  await store.cards.pack({ projectId: "p", cards: ids.map((each) => cardOf(each)), boxes, now: 1 });
  await store.sessions.append({ projectId: "p", sessionId: name }, [{ id, ts: 1, type: "custom" }]);
  process.stdout.write(`${id}\n`);
}
