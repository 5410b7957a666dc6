import { type TokenAccount, tokenAccount, tokenizerForModel } from "@galley/engine";
import { shorten } from "../../limits/short-text.ts";
import type { RouteName, RouteReply } from "../../api/index.ts";
import { messagesOfCards, textOf } from "../../handover/cards/messages-of-cards.ts";
import { readTaskTree, startedBy } from "../../handover/plan/task-tree.ts";
import type { HydratedBox } from "../../store/ports/card-store.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { type HandlerContext, done, found } from "./handler-context.ts";

type HandoverRoute = Extract<RouteName, `${"boxes" | "tasks" | "profiles"}.${string}`>;
type BoxReply = RouteReply<"boxes.get">;

const usualLimit = 50;

export function handoverHandlers({ galley, events }: HandlerContext): RouteHandlers<HandoverRoute> {
  const { store, project, handover, models } = galley;
  const account = async (): Promise<TokenAccount> => tokenAccount(await tokenizerForModel(models.defaultId));
  const find = async (id: string): Promise<Task> => found((await store.tasks.read(project, [id]))[0], "task", id);
  return {
    "boxes.get": async ({ params: { id }, query: { version } }) => {
      const box = found(await store.cards.openBox(project, id, version), "box", id);
      const authors = await authorNames(box, galley);
      const tasks = await Promise.all(
        (await store.tasks.list(project, { boxId: id, limit: maxTasksOfBox })).map((task) =>
          taskOfBox(task, id, galley),
        ),
      );
      return { ...boxReply(box, await account(), authors), tasks };
    },
    "tasks.list": async ({ query: { limit = usualLimit, place } }) => {
      const roots = await store.tasks.list(
        project,
        place === undefined ? { parentTaskId: null, limit } : { place, limit },
      );
      return { tasks: await Promise.all(roots.map((task) => summaryOf(task, galley))) };
    },
    "tasks.get": async ({ params: { id } }) => {
      const task = await find(id);
      return readTaskTree(store, await find(task.rootTaskId), await account());
    },
    "tasks.start": async ({ body }) => {
      const { task_id, agent_id, context_box_id, output_box_id } = await handover.delegate(body);
      return { taskId: task_id, agentId: agent_id, contextBoxId: context_box_id, outputBoxId: output_box_id };
    },
    "tasks.cancel": async ({ params: { id } }) => {
      await find(id);
      await store.tasks.cancel({ projectId: project, taskId: id, reason: "A person ended it.", now: Date.now() });
      events.tell("task:changed", id);
      return { ok: true };
    },
    "tasks.build": async ({ params: { id } }) => ({ ...(await handover.buildOf(id)) }),
    "profiles.list": async () => ({ profiles: [...(await handover.profiles())] }),
    "profiles.delete": ({ params: { name } }) => done(handover.removeProfile(name)),
    "profiles.save": async ({ params: { name }, body }) => ({ name, boxId: await handover.saveProfile(name, body) }),
  };
}

const maxTasksOfBox = 20;

async function taskOfBox(
  task: Task,
  boxId: string,
  galley: HandlerContext["galley"],
): Promise<BoxReply["tasks"][number]> {
  const { taskId, profileName, instruction } = await summaryOf(task, galley);
  return { taskId, profileName, instruction, as: task.contextBoxId === boxId ? "context" : "output" };
}

/** Agents that were handed tasks are known by their profiles. */
async function authorNames(
  { cards }: HydratedBox,
  { store, project }: HandlerContext["galley"],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(cards.flatMap((card) => (card?.authorId ? [card.authorId] : [])))];
  const agents = await store.tasks.readAgents(project, ids);
  return new Map(
    agents.flatMap((agent) => {
      const name = agent?.details["profileName"];
      return agent && typeof name === "string" ? [[agent.id, name]] : [];
    }),
  );
}

function boxReply(
  box: HydratedBox,
  account: TokenAccount,
  authors: ReadonlyMap<string, string>,
): Omit<BoxReply, "tasks"> {
  const cards = box.items.map(({ cardId, origin }, index): BoxReply["cards"][number] => {
    const card = box.cards[index];
    const nothing = { type: "", authorId: null, authorName: null, createdAt: null, text: null, tokens: 0 };
    if (!card) return { id: cardId, origin, ...nothing };
    const { type, authorId, createdAt } = card;
    const sizes = messagesOfCards([card]).map(({ message }) => account.countMessage(message));
    const authorName = authors.get(authorId) ?? null;
    return { id: cardId, type, origin, authorId, authorName, createdAt, text: textOf(card), tokens: sumOf(sizes) };
  });
  const { id, version, createdAt, parents } = box;
  return { id, version, createdAt, parents: [...parents], cards, tokens: sumOf(cards.map(({ tokens }) => tokens)) };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

async function summaryOf(
  task: Task,
  { store, project }: HandlerContext["galley"],
): Promise<RouteReply<"tasks.list">["tasks"][number]> {
  const { id, agentId, status, details, contextBoxId, outputBoxId, createdAt, finishedAt, error, origin } = task;
  const box = await store.cards.openBox(project, contextBoxId);
  const card = box?.cards.find((each) => each?.type === "task.instruction");
  const name = details["profileName"];
  const facts = { taskId: id, agentId, status, contextBoxId, outputBoxId, createdAt, finishedAt };
  return {
    ...facts,
    profileName: typeof name === "string" ? name : null,
    startedBy: startedBy(task),
    instruction: card ? textOf(card) : "",
    answer: answerText(task),
    error,
    place: origin?.place ?? null,
    turnId: origin?.turnId ?? null,
    callId: origin?.callId ?? null,
    anchor: origin?.anchor ?? null,
    returned: returnedOf(task),
  };
}

const maxAnswerLength = 4000;

function answerText({ result }: Task): string | null {
  if (result === null) return null;
  const text = typeof result === "string" ? result : JSON.stringify(result, undefined, 2);
  return shorten(text, maxAnswerLength);
}

function returnedOf({ origin, finishedAt, returnedAt, returnedTo }: Task): "waiting" | "given" | "kept" | null {
  if (!origin || finishedAt === null) return null;
  if (returnedAt === null) return "waiting";
  return returnedTo === null ? "kept" : "given";
}
