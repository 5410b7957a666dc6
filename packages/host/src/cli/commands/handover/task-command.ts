import { GalleyError, tokenAccount, tokenizerForModel } from "@galley/engine";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import type { BoxSummary, TaskTree } from "../../../api/handover.ts";
import { authorityOf } from "../../../handover/pack/authority.ts";
import { isPerson } from "../../../handover/options/caller.ts";
import { openHandover } from "../../../handover/options/handover-options.ts";
import { awaitTask } from "../../../handover/plan/results.ts";
import { readTaskTree } from "../../../handover/plan/task-tree.ts";
import type { Task } from "../../../store/ports/task-store.ts";
import { cleanLines } from "../../terminal/clean-text.ts";
import { type HandoverSession, type StoreFlags, addStoreFlags, withHandover } from "../../input/handover-flags.ts";
import { printResult } from "../../terminal/report.ts";
import { elastic, listText, numbers } from "../../terminal/table.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";
import { wholeNumberFrom } from "../../input/options.ts";

interface TaskFlags extends StoreFlags {
  readonly limit?: number;
  readonly boxes?: boolean;
}

const defaultLimit = 10;

export function defineTask(task: Command, terminal: Terminal): void {
  addListCommand(task, terminal);
  addShowCommand(task, terminal);
  addWaitCommand(task, terminal);
  addCancelCommand(task, terminal);
}

function addListCommand(task: Command, terminal: Terminal): void {
  addStoreFlags(
    task
      .command("list", { isDefault: true })
      .description("Lists the newest tasks, each with those that it has started, as a tree.")
      .option("--limit <number>", `how many trees (default: ${defaultLimit})`, wholeNumberFrom(1))
      .option("--boxes", "show the boxes of each task and where their cards came from"),
  ).action(async (flags: TaskFlags) => {
    await withHandover(flags, async (session) => {
      const trees = await treesOf(await newestRoots(session, flags.limit ?? defaultLimit), session);
      printResult(terminal, flags, { trees }, () => treesText(trees, flags.boxes === true, terminal));
    });
  });
}

function aboutTask(task: Command, name: string, description: string): Command {
  return addStoreFlags(task.command(name).argument("<task>", "id of the task").description(description));
}

function addShowCommand(task: Command, terminal: Terminal): void {
  const description = "Shows the tree that a task belongs to, with the boxes of each task and the answer.";
  aboutTask(task, "show", description).action(async (id: string, flags: StoreFlags) => {
    await withHandover(flags, async (session) => {
      const trees = await treesOf([await topOf(id, session)], session);
      printResult(terminal, flags, { trees }, () => treesText(trees, true, terminal) + trees.map(answerText).join(""));
    });
  });
}

function addWaitCommand(task: Command, terminal: Terminal): void {
  const description = "Waits until a task has ended, and prints its answer. Exits with 1 when it has none.";
  aboutTask(task, "wait", description).action(async (id: string, flags: StoreFlags) => {
    const ended = await withHandover(flags, async (session) => {
      await authorityOf(session.store, session.caller).findTask({ id, path: "task" });
      return awaitTask(session.projectId, id, openHandover(session.options));
    });
    const { status, result, error } = ended;
    if (flags.json) terminal.out(`${JSON.stringify({ task_id: id, status, result, error })}\n`);
    else if (result !== null) terminal.out(answerText({ result }).trimStart());
    if (status === "succeeded") return;
    throw new GalleyError("TaskFailed", error?.message ?? `The task ended as ${status}.`, {
      hint: `\`galley task show ${id}\` shows what it has read and given.`,
    });
  });
}

function addCancelCommand(task: Command, terminal: Terminal): void {
  const description = "Ends a task and everything below it that is still open.";
  aboutTask(task, "cancel", description).action(async (id: string, flags: StoreFlags) => {
    const cancelled = await withHandover(flags, async (session) => {
      await authorityOf(session.store, session.caller).taskToEnd({ id, path: "task" });
      return session.store.tasks.cancel({
        projectId: session.projectId,
        taskId: id,
        reason: isPerson(session.caller) ? "A person cancelled it." : `The agent ${session.caller.id} cancelled it.`,
        now: Date.now(),
      });
    });
    printResult(terminal, flags, { cancelled }, () =>
      cancelled.length === 0 ? "It had ended already.\n" : `${cancelled.length} cancelled\n`,
    );
  });
}

async function treesOf(roots: readonly Task[], { store }: HandoverSession): Promise<readonly TaskTree[]> {
  const account = tokenAccount(await tokenizerForModel(undefined));
  const trees: TaskTree[] = [];
  for (const root of roots) trees.push(await readTaskTree(store, root, account));
  return trees;
}

/** The whole tree for a person; for an agent what lies below. */
async function topOf(id: string, session: HandoverSession): Promise<Task> {
  const authority = authorityOf(session.store, session.caller);
  const task = await authority.findTask({ id, path: "task" });
  return isPerson(session.caller) ? authority.findTask({ id: task.rootTaskId, path: "task" }) : task;
}

/** A task that a listed one has started stands below it, and is not listed beside it as well. */
async function newestRoots({ store, caller }: HandoverSession, limit: number): Promise<readonly Task[]> {
  const authority = authorityOf(store, caller);
  if (isPerson(caller)) return authority.listTasks(limit);
  const tasks = await authority.listTasks(Infinity);
  const ids = new Set(tasks.map(({ id }) => id));
  return tasks.filter(({ parentTaskId }) => parentTaskId === null || !ids.has(parentTaskId)).slice(0, limit);
}

function treesText(trees: readonly TaskTree[], withBoxes: boolean, terminal: Terminal): string {
  const table = listText(
    groupForks(trees).flatMap(forkRows),
    terminal,
    "There is no task yet: galley delegate PROFILE INSTRUCTION",
    {
      task: "label",
      profile: ({ node }) => node?.profileName ?? "",
      status: ({ node }) => node?.status,
      failed: numbers(({ node }) => (node?.failures ? `${node.failures}×` : "")),
      saw: numbers(({ node }) => node && sizeOf(node.context, node.earlier)),
      gave: numbers(({ node }) => node && sizeOf(node.output)),
      took: numbers(({ node }) => node && tookText(node)),
      instruction: elastic(({ node }) => node && onOneLine(instructionText(node), 120)),
    },
  );
  return withBoxes && trees.length > 0 ? `${table}\n${trees.map((tree) => boxLines(tree, terminal)).join("")}` : table;
}

/** A task at its place in the tree, or the head of a fork. */
interface TreeRow {
  readonly label: string;
  readonly node?: TaskTree;
}

/** A fork that a person started has no task above it; its tasks stand together all the same. */
function groupForks(trees: readonly TaskTree[]): readonly (readonly TaskTree[])[] {
  const groups = Map.groupBy(trees, ({ batchId, taskId }) => batchId ?? taskId);
  return [...groups.values()].map((group) => group.toSorted((a, b) => a.taskIndex - b.taskIndex));
}

function forkRows(group: readonly TaskTree[]): TreeRow[] {
  const [first] = group;
  if (!first?.batchId) return group.flatMap((tree) => treeRows(tree, "", "", ""));
  return [{ label: `fork ${first.batchId}` }, ...childRows(group, "")];
}

function treeRows(node: TaskTree, branch: string, below: string, mark: string): TreeRow[] {
  return [{ label: `${branch}${mark}${node.taskId}`, node }, ...childRows(node.children, below)];
}

function childRows(children: readonly TaskTree[], below: string): TreeRow[] {
  return children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    const mark = child.batchId === null ? "" : `#${child.taskIndex} `;
    return treeRows(child, `${below}${isLast ? "└─ " : "├─ "}`, `${below}${isLast ? "   " : "│  "}`, mark);
  });
}

function sizeOf(...boxes: readonly BoxSummary[]): string {
  const [cards, tokens] = boxes.reduce(([c, t], box) => [c + box.cards, t + box.tokens], [0, 0]);
  return `${cards} ${cards === 1 ? "card" : "cards"}, ${tokens} tok`;
}

function instructionText({ instruction, error }: TaskTree): string {
  return error ? `${instruction} (${error.message})` : instruction;
}

function tookText({ startedAt, finishedAt }: TaskTree): string {
  if (startedAt === null) return "";
  const ms = (finishedAt ?? Date.now()) - startedAt;
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function boxLines(node: TaskTree, terminal: Terminal): string {
  const style = styleFor(terminal);
  const own = [
    `${style.bold(`task ${node.taskId}`)} of agent ${node.agentId}, handed over by ${node.startedBy}`,
    `  saw  ${summaryLine(node.context)}`,
    ...(node.earlier.cards > 0 ? [`       ${node.earlier.cards} cards of its own earlier output`] : []),
    `  gave ${summaryLine(node.output)}`,
  ];
  return `${own.join("\n")}\n${node.children.map((child) => boxLines(child, terminal)).join("")}`;
}

/** The whole answer of the task: the tables only say how long it is. */
function answerText({ result }: Pick<TaskTree, "result">): string {
  if (result === null) return "";
  return `\n${cleanLines(typeof result === "string" ? result : JSON.stringify(result, null, 2))}\n`;
}

function summaryLine({ boxId, cards, tokens, origins, parents, deleted }: BoxSummary): string {
  const parts = Object.entries(origins).map(([origin, count]) => `${count} ${origin}`);
  const from = parents.length > 0 ? ` from ${parents.join(", ")}` : "";
  const gone = deleted > 0 ? `, ${deleted} deleted` : "";
  return `box ${boxId}: ${cards === 0 ? "nothing" : `${parts.join(", ")}${from}, ${tokens} tokens${gone}`}`;
}
