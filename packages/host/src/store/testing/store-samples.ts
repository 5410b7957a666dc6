import type { BoxItem, Card, NewBox } from "../ports/card-store.ts";
import type { Store } from "../ports/ports.ts";
import type { Hold, NewBatch, NewTurn, StartTurns, StartedTurns, Turn } from "../ports/turn-store.ts";

let made = 0;

/** A name that nothing else has. */
export function fresh(prefix: string): string {
  return `${prefix}${(made += 1)}-${process.pid}`;
}

export function cardOf(id: string, text = `text of ${id}`): Card {
  return {
    id,
    type: "agent.message",
    content: { kind: "text", text },
    metadata: { role: "user" },
    authorId: "tester",
    createdAt: 1000,
  };
}

export function itemsOf(...ids: readonly string[]): BoxItem[] {
  return ids.map((cardId) => ({ cardId, origin: "packed" }));
}

export const noCards = { cards: [], boxes: [], agents: [] } as const;

/** A start of one new agent for each turn, with an empty output box and a context box of one card. */
export function startOf(projectId: string, turns: readonly Omit<NewTurn, "agentId" | "contextBoxId">[]): StartTurns {
  const boxes = turns.flatMap((turn): NewBox[] => [
    { id: `${turn.id}.context`, items: itemsOf(`${turn.id}.card`) },
    { id: `${turn.id}.output`, items: [] },
  ]);
  return {
    projectId,
    cards: turns.map((turn) => cardOf(`${turn.id}.card`)),
    boxes: [{ id: `${turns[0]?.id}.profile`, items: [] }, ...boxes],
    agents: turns.map((turn) => ({
      id: `${turn.id}.agent`,
      profileBoxId: `${turns[0]?.id}.profile`,
      outputBoxId: `${turn.id}.output`,
    })),
    turns: turns.map((turn) => ({ ...turn, agentId: `${turn.id}.agent`, contextBoxId: `${turn.id}.context` })),
    now: 1000,
  };
}

/** Starts a root turn and claims it, at time 1000 for 10 s. */
export async function runningRoot(store: Store, projectId: string, turn: Partial<NewTurn> = {}): Promise<Turn> {
  const id = turn.id ?? fresh("root");
  await store.turns.start(startOf(projectId, [{ ...turn, id }]));
  return claimed(store, projectId, id);
}

/** Claims a turn that must be there for the claim. */
export async function claimed(store: Store, projectId: string, turnId: string, now = 1000): Promise<Turn> {
  const turn = await store.turns.claim({ projectId, turnId, worker: "w1", leaseMs: 10_000, now });
  if (!turn) throw new Error(`The turn ${turnId} could not be claimed.`);
  return turn;
}

export function holdOf(turn: Turn): Hold {
  return { projectId: turn.projectId, turnId: turn.id, attempt: turn.attempt };
}

/** Starts a batch of children below a running turn; the parent waits for it unless it is told not to. */
export function fork(
  store: Store,
  parent: Turn,
  ids: readonly string[],
  options: { readonly batch?: NewBatch; readonly waits?: boolean; readonly turn?: Partial<NewTurn> } = {},
): Promise<StartedTurns> {
  const { batch = { id: fresh("batch") }, waits = true, turn = {} } = options;
  const start = startOf(
    parent.projectId,
    ids.map((id) => ({ ...turn, id })),
  );
  return store.turns.start({
    ...start,
    batch,
    parent: holdOf(parent),
    ...(waits ? { suspend: { cards: [] } } : {}),
  });
}

export async function turnOf(store: Store, projectId: string, id: string): Promise<Turn> {
  const [turn] = await store.turns.read(projectId, [id]);
  if (!turn) throw new Error(`There is no turn ${id}.`);
  return turn;
}
