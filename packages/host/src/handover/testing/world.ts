import { GalleyError, type JsonObject, type ModelMessage } from "@galley/engine";
import { vi } from "vitest";
import type { Box, Card } from "../../store/ports/card-store.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { Hold, Task } from "../../store/ports/task-store.ts";
import { cardsOfMessages } from "../cards/cards-of-messages.ts";
import { delegateAsync } from "../plan/delegate.ts";
import { type Caller, person } from "../options/caller.ts";
import { type Handover, type HandoverLimits, openHandover } from "../options/handover-options.ts";

/** What a suite needs of a store besides the store. */
export interface StoreUnderTest {
  readonly name: string;
  readonly open: () => Promise<Store>;
  /** Every row of every table, as text. */
  readonly dump: () => Promise<string>;
}

let worlds = 0;

/** A project of its own with profiles, and short ways to set a scene. */
export class World {
  readonly store: Store;
  readonly handover: Handover;
  readonly projectId: string;
  readonly person: Caller;

  constructor(store: Store, limits: Partial<HandoverLimits> = {}) {
    this.store = store;
    this.projectId = `project-${(worlds += 1)}-${process.pid}`;
    this.handover = openHandover({ store, limits });
    this.person = this.caller(person);
  }

  /** A chat, a program or the person. */
  caller(id: string): Caller {
    return { projectId: this.projectId, id };
  }

  static async open(store: Store, limits?: Partial<HandoverLimits>): Promise<World> {
    const world = new World(store, limits);
    for (const name of ["coder", "writer", "critic"]) await world.profile(name, `You are the ${name}.`);
    return world;
  }

  async profile(name: string, text: string): Promise<string> {
    const boxId = await this.box([{ role: "system", content: text }]);
    await this.store.cards.saveProfile(this.projectId, { name, boxId });
    return boxId;
  }

  /** A box of messages that a person has made. */
  async box(messages: readonly ModelMessage[]): Promise<string> {
    return this.boxOf(this.cards(messages));
  }

  cards(messages: readonly ModelMessage[]): Card[] {
    return cardsOfMessages(messages, { authorId: "tester", now: this.handover.now(), newId: this.handover.newId });
  }

  async boxOf(cards: readonly Card[]): Promise<string> {
    const id = this.handover.newId();
    const items = cards.map((card) => ({ cardId: card.id, origin: "output" as const }));
    await this.store.cards.pack({ projectId: this.projectId, cards, boxes: [{ id, items }], now: 1 });
    return id;
  }

  async delegate(args: JsonObject = {}, caller: Caller = this.person): Promise<Task> {
    const request = { target_strategy: "new", target_ref: "coder", instruction: "Do it.", ...args };
    const { task_id } = await delegateAsync(request, caller, this.handover);
    return this.task(task_id);
  }

  async task(id: string): Promise<Task> {
    const [task] = await this.store.tasks.read(this.projectId, [id]);
    if (!task) throw new Error(`There is no task ${id}.`);
    return task;
  }

  async readBox(id: string): Promise<Box> {
    const [box] = await this.store.cards.readBoxes(this.projectId, [id]);
    if (!box) throw new Error(`There is no box ${id}.`);
    return box;
  }

  /** What the cards of a box say; of a card that holds no text, its type. */
  async texts(boxId: string): Promise<(string | undefined)[]> {
    const box = await this.store.cards.openBox(this.projectId, boxId);
    return box?.cards.map((card) => (card?.content.kind === "text" ? card.content.text : card?.type)) ?? [];
  }

  /** Takes a task as a worker would, and gives its agent's voice. */
  async claim(taskId: string): Promise<Caller & { readonly hold: Hold; readonly agentId: string }> {
    const { projectId } = this;
    const task = await vi.waitUntil(
      () => this.store.tasks.claim({ projectId, taskId, worker: "test", leaseMs: 60_000, now: Date.now() }),
      { timeout: 60_000 },
    );
    return { projectId, id: task.agentId, agentId: task.agentId, hold: { projectId, taskId, attempt: task.attempt } };
  }

  /** A running agent. */
  async agent(args: JsonObject = {}, caller: Caller = this.person): ReturnType<World["claim"]> {
    return this.claim((await this.delegate(args, caller)).id);
  }

  /** Lets a running agent say something. */
  async say(caller: { readonly hold: Hold }, ...messages: readonly ModelMessage[]): Promise<Task> {
    return this.store.tasks.record(caller.hold, { cards: this.cards(messages) }, Date.now());
  }

  async finish(caller: { readonly hold: Hold }, text: string): Promise<Task> {
    const cards = this.cards([{ role: "assistant", content: text }]);
    const outcome = { status: "succeeded", result: text, output: { cards } } as const;
    return (await this.store.tasks.finish(caller.hold, outcome, Date.now())).task;
  }
}

/** The error that something ends with. */
export async function refusal(
  attempt: Promise<unknown>,
): Promise<{ code: string; path: string | undefined; message: string }> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof GalleyError) return { code: error.code, path: error.path, message: error.message };
    throw error;
  }
  throw new Error("It was not refused.");
}
