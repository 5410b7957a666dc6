import { expect, test } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { daemonProcess } from "../src/daemon/testing/temp-daemon.ts";
import { daemonSide, loadChats } from "../src/daemon/testing/load-chats.ts";

const load = isThorough ? { chats: 200, turns: 20, atOnce: 16 } : { chats: 20, turns: 3, atOnce: 16 };

// `npm run bench daemon` measures the same load.
test(
  `[W11] ${load.chats} chats with ${load.turns} turns each, ${load.atOnce} at a time: no error, nothing lost or doubled`,
  { timeout: isThorough ? 3_600_000 : 240_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "load",
      fault: `${load.atOnce} clients at once talk in ${load.chats} chats`,
      holds: "no error, nothing lost or doubled",
      rounds: load.chats * load.turns,
    });
    const daemon = await daemonProcess();
    const { latencies } = await loadChats(daemonSide(daemon.url, daemon.token), load);
    expect(latencies).toHaveLength(load.chats * load.turns);
    const { runs } = await daemon.call("runs.list", { query: { limit: 1000 } });
    expect(runs.filter(({ status }) => status !== "finished")).toEqual([]);
    expect(await daemon.end("SIGTERM")).toBe(0);
  },
);
