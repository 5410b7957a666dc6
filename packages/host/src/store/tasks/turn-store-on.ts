import { checkIds, isId } from "../database/check-ids.ts";
import type { Database } from "../database/database.ts";
import { type Ended, cancelTree } from "./end-turns.ts";
import { heldTurn, lockTurn } from "./move-turn.ts";
import { countTree, listTurns, readAgents, readBatches, readLineage, readTurns } from "./read-turns.ts";
import { claimTurn, finishTurn, recordOutput, releaseTurn, renewLease, retryTurn, suspendTurn } from "./run-turns.ts";
import { checkStart, startTurns } from "./start-turns.ts";
import { sweepTurns } from "./sweep-turns.ts";
import { tendTurns } from "./tend-turns.ts";
import { fromBatchRow, fromTurnRow } from "./turn-rows.ts";
import type { FinishedTurn, Output, TurnStore } from "../ports/turn-store.ts";
import { checkPack } from "../cards/write-pack.ts";

/** Turns in a database. */
export function turnStoreOn(database: Database): TurnStore {
  return {
    async start(start) {
      checkStart(start);
      if (start.suspend) checkOutput(start.projectId, start.suspend);
      return database.transaction((tx) => startTurns(tx, start));
    },
    async claim(claim) {
      if (!isId(claim.projectId) || !isId(claim.turnId)) return undefined;
      checkIds("worker", [claim.worker]);
      const row = await database.transaction((tx) => claimTurn(tx, claim));
      return row && fromTurnRow(row);
    },
    renew: (hold, lease) => database.transaction((tx) => renewLease(tx, hold, lease)),
    async record(hold, output) {
      checkOutput(hold.projectId, output);
      return fromTurnRow(await database.transaction((tx) => recordOutput(tx, hold, output)));
    },
    async suspend(hold, wait) {
      checkOutput(hold.projectId, wait.output);
      return fromTurnRow(await database.transaction((tx) => suspendTurn(tx, hold, wait)));
    },
    async finish(hold, outcome, now) {
      checkOutput(hold.projectId, outcome.output);
      return toFinished(await database.transaction((tx) => finishTurn(tx, hold, outcome, now)));
    },
    async retry(hold, failure) {
      return toFinished(await database.transaction(async (tx) => retryTurn(tx, await heldTurn(tx, hold), failure)));
    },
    release: (hold, now) => database.transaction((tx) => releaseTurn(tx, hold, now)),
    async cancel({ projectId, turnId, reason = "It was cancelled.", now }) {
      if (!isId(projectId) || !isId(turnId)) return [];
      const ending = { status: "cancelled", error: { code: "Cancelled", message: reason }, now } as const;
      return database.transaction(async (tx) => {
        const turn = await lockTurn(tx, projectId, turnId);
        return turn ? (await cancelTree(tx, projectId, turnId, ending)).ended : [];
      });
    },
    sweep: (now) => sweepTurns(database, now),
    tend: tendTurns(database),
    read: (projectId, ids) => database.read((reader) => readTurns(reader, projectId, ids)),
    list: (projectId, filter = {}) => database.read((reader) => listTurns(reader, projectId, filter)),
    lineage: (projectId, turnId) => database.read((reader) => readLineage(reader, projectId, turnId)),
    countTree: (projectId, rootTurnId) => database.read((reader) => countTree(reader, projectId, rootTurnId)),
    readBatches: (projectId, ids) => database.read((reader) => readBatches(reader, projectId, ids)),
    readAgents: (projectId, ids) => database.read((reader) => readAgents(reader, projectId, ids)),
  };
}

function checkOutput(projectId: string, output: Output | undefined): void {
  checkPack({ projectId, cards: output?.cards ?? [], boxes: [] });
}

function toFinished({ turn, batch, queued }: Ended): FinishedTurn {
  return { turn: fromTurnRow(turn), batch: batch && fromBatchRow(batch), queued };
}
