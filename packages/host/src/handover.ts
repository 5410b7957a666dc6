// Handing work to other agents: cards, context boxes, delegation, and the workers that do it.
import "./disk/runtime/refuse-old-node.ts";
export { cardsOfMessages, type CardStamp } from "./handover/cards/cards-of-messages.ts";
export { type CardMessage, messagesOfCards } from "./handover/cards/messages-of-cards.ts";
export type { Caller } from "./handover/options/caller.ts";
export type { HandoverConfig } from "./handover/options/handover-config.ts";
export {
  type Handover,
  type HandoverLimits,
  type HandoverOptions,
  openHandover,
} from "./handover/options/handover-options.ts";
export {
  type InstructionRequest,
  packContext,
  packContextWithInstruction,
  type PackedContext,
  type PackOptions,
  type PackRequest,
} from "./handover/pack/pack-context.ts";
export { askExpert, delegateAsync, launchPrincipal } from "./handover/plan/delegate.ts";
export { forkJoin } from "./handover/plan/fork-join.ts";
export type { Delegated, ForkResult, TaskResult } from "./handover/plan/results.ts";
export { type CallerOf, handoverTools } from "./handover/plan/handover-tools.ts";
export { join, type JoinResult } from "./handover/plan/join.ts";
export type { TaskTree } from "./api/handover.ts";
export { readTaskTree } from "./handover/plan/task-tree.ts";
export type { CardRow } from "./handover/work/card-ledger.ts";
export { type CommandOptions, sendToCommand } from "./turn/call/send-to-command.ts";
export type { TaskModel, TaskSetup } from "./turn/run/execute-task.ts";
export { startWorker, type Worker, type WorkerEvent, type WorkerOptions } from "./turn/run/worker.ts";
