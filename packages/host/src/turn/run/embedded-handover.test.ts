import { GalleyError } from "@galley/engine";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../store/open-store.ts";
import type { Store } from "../../store/ports/ports.ts";
import { dataFolder, galleyIn } from "../../galley/testing/temp-galley.ts";
import { embeddedHandover } from "./embedded-handover.ts";
import type { Services } from "../services/services.ts";

test("[H8] a worker that could not start because the store was away starts at the next call", async () => {
  const real = await openStore({ data: dataFolder() });
  onTestFinished(() => real.close());
  let isAway = true;
  const store: Store = {
    ...real,
    queue: {
      consume: async (...args) => {
        if (isAway) throw new GalleyError("StoreUnavailable", "The database is away.", { retryable: true });
        return real.queue.consume(...args);
      },
    },
  };
  const galley = await galleyIn();
  const parts = { ...galley, tools: [] } as unknown as Services;
  const handover = embeddedHandover({
    store,
    project: "p",
    now: Date.now,
    parts: () => parts,
    workerModel: () => "demo",
  });
  await expect(handover.start()).rejects.toMatchObject({ code: "StoreUnavailable" });
  isAway = false;
  await handover.start();
  await handover.stop();
});
