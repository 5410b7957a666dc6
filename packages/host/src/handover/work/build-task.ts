import {
  type Build,
  type Compactor,
  type ContextConfig,
  ContextManager,
  type JsonObject,
  type SessionEntry,
  type Tokenizer,
  type ToolSpec,
  digestOf,
  tokenAccount,
} from "@galley/engine";
import type { Store } from "../../store/ports/ports.ts";
import { sha256 } from "../../disk/sha256.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { type CardRow, cardRows } from "./card-rows.ts";
import { givenTo } from "../options/given-details.ts";
import { handoverRecipe } from "./handover-recipe.ts";
import { notFound } from "../options/request-errors.ts";
import { type ResultField, parseResultFields } from "../cards/result-fields.ts";
import { type PlacedCard, type TaskBoxes, taskSections } from "./task-sections.ts";

/** How tasks are built. */
export interface TaskContext {
  readonly config: ContextConfig;
  readonly tokenizer: Tokenizer;
  readonly compactor?: Compactor;
  readonly model?: string;
  readonly tools?: readonly ToolSpec[];
}

/** The same for all tasks, or by task. */
export type TaskContextFor = TaskContext | ((task: Task) => Promise<TaskContext>);

/** What the model of a task reads, with a row for every card. */
export interface TaskBuild extends Pick<Build, "messages" | "tools" | "stats" | "ledger" | "stablePrefix"> {
  readonly cards: readonly CardRow[];
  readonly digest: string;
  /** What the result must hold, where the task says so. */
  readonly contract: readonly ResultField[] | undefined;
}

/** Hydrates the boxes of a task and builds what its model reads [H3]. */
export async function buildTask(store: Store, task: Task, context: TaskContext): Promise<TaskBuild> {
  const placed = taskSections(await openBoxes(store, task), task.outputStart ?? 0);
  const agentRefs = givenTo(task).agentRefs.map(({ agentId }) => agentId);
  const recipe = handoverRecipe(placed, agentRefs);
  const session = { projectId: task.projectId, sessionId: `task:${task.id}` };
  const decisions = await store.sessions.read(session);
  const entries = withDecisions(recipe.entries, decisions);
  const { config, tokenizer, compactor, model, tools } = context;
  const manager = new ContextManager({ config, tokenizer, sha256, ...(compactor ? { compactor } : {}) });
  const { build, entriesToAppend } = await manager.buildContext({
    sessionEntries: entries,
    preset: recipe.preset,
    variables: recipe.variables,
    model: model ?? "any",
    ...(tools ? { toolSpecs: tools } : {}),
    ...hintsOf(task),
  });
  const tail = entries.at(-1)?.id ?? null;
  const decided = entriesToAppend.map((entry) => ({ ...entry, parentId: entry.parentId ?? tail }));
  if (decided.length > 0) await store.sessions.append(session, decided);
  const { messages, stats, ledger, stablePrefix } = build;
  return {
    messages,
    tools: build.tools,
    stats,
    ledger,
    stablePrefix,
    cards: cardRows(placed, ledger, recipe, tokenAccount(tokenizer)),
    digest: digestOf(build, { sha256 }),
    contract: contractOf(placed),
  };
}

/** A task whose result was refused is told why, or it would give the same again. */
function hintsOf({ error }: Task): { runtimeHints?: JsonObject } {
  return error?.code === "ResultInvalid" ? { runtimeHints: { previousAttempt: error.message } } : {};
}

async function openBoxes({ cards }: Store, task: Task): Promise<TaskBoxes> {
  const open = async (boxId: string): Promise<TaskBoxes["profile"]> => {
    const box = await cards.openBox(task.projectId, boxId);
    if (box) return box;
    throw notFound("task", `The task ${task.id} names the box ${boxId}, which does not exist.`);
  };
  return {
    profile: await open(task.profileBoxId),
    context: await open(task.contextBoxId),
    output: await open(task.outputBoxId),
  };
}

/** What earlier builds of this task decided, each behind the message that was the last one then [F8]. */
function withDecisions(messages: readonly SessionEntry[], decisions: readonly SessionEntry[]): readonly SessionEntry[] {
  if (decisions.length === 0) return messages;
  const behind = Map.groupBy(decisions, (entry) => entry.parentId ?? null);
  const entries: SessionEntry[] = [];
  const add = (entry: SessionEntry): void => {
    const { parentId: _, ...rest } = entry;
    entries.push(rest);
    for (const decision of behind.get(entry.id) ?? []) add(decision);
  };
  for (const message of messages) add(message);
  return entries;
}

function contractOf(placed: readonly PlacedCard[]): readonly ResultField[] | undefined {
  const fields = placed.flatMap(({ section, card, unread }) =>
    section === "instruction" && !unread && card?.content.kind === "fields" ? card.content.fields : [],
  );
  return fields.length === 0 ? undefined : parseResultFields(fields, "task.result_fields");
}
