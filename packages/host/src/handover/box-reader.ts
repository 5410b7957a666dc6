import type { Box } from "../store/card-store.ts";
import type { Store } from "../store/ports.ts";
import type { Turn } from "../store/turn-store.ts";
import type { ReadableBox } from "./assemble-context.ts";
import type { Caller } from "./handover-options.ts";
import type { NamedBox } from "./pack-rules.ts";
import { isPackedBy } from "./parent-pointer.ts";
import { passedBoxes } from "./passed-boxes.ts";
import { forbidden, notFound } from "./request-errors.ts";

/** Reads boxes as far as one caller may see them [H6]. It reads each box once, so that one request has one view. */
export interface BoxReader {
  /** Throws `NotFound` for a box that the project does not have, and `Forbidden` for one that the caller may not use. */
  read(boxes: readonly NamedBox[]): Promise<readonly ReadableBox[]>;
  /** The output of an agent that the caller has named as a clone source. */
  readCloneSource(box: NamedBox): Promise<ReadableBox>;
}

export function boxReader(store: Store, caller: Caller): BoxReader {
  const known = new Map<string, ReadableBox>();
  const open = async (named: readonly NamedBox[]): Promise<readonly Box[]> => {
    const boxes = await store.cards.readBoxes(
      caller.projectId,
      named.map(({ boxId }) => boxId),
    );
    return boxes.map((box, index) => box ?? missing(named[index] as NamedBox));
  };
  return {
    async read(named) {
      const unknown = named.filter(({ boxId }) => !known.has(boxId));
      for (const [index, box] of (unknown.length === 0 ? [] : await open(unknown)).entries()) {
        known.set(box.id, (await visiblePart(store, caller, box)) ?? denied(unknown[index] as NamedBox));
      }
      return named.map(({ boxId }) => known.get(boxId) as ReadableBox);
    },
    async readCloneSource(named) {
      const [box] = (await open([named])) as readonly [Box];
      known.set(box.id, whole(box));
      return whole(box);
    },
  };
}

function missing({ boxId, path }: NamedBox): never {
  throw notFound(
    path,
    `There is no box ${JSON.stringify(boxId)} in this project.`,
    "Check the id; `galley turns` shows the boxes of each turn.",
  );
}

function denied({ boxId, path }: NamedBox): never {
  throw forbidden(
    path,
    `The box ${JSON.stringify(boxId)} was not made by this agent, not passed to it, and is no output of an agent that it started.`,
    "Ask the agent that has it to pass it on.",
  );
}

/** What the caller may see of a box; `undefined` means nothing. Every way in is a reason of its own, and there is no other. */
async function visiblePart(store: Store, caller: Caller, box: Box): Promise<ReadableBox | undefined> {
  const { projectId, agentId } = caller;
  if (agentId === null || (await isPackedBy(box, agentId, projectId, store))) return whole(box);
  const turns = await store.turns.list(projectId, { boxId: box.id });
  if (turns.some((turn) => turn.agentId === agentId)) return whole(box);
  const outputs = turns.filter((turn) => turn.outputBoxId === box.id);
  if (await isDescendant(store, projectId, outputs[0]?.agentId, agentId)) return whole(box);
  return (await sliceOfDescendants(store, caller, box, outputs)) ?? passedVersion(store, caller, box.id);
}

function whole({ id, version, items }: Box): ReadableBox {
  return { boxId: id, version, items };
}

/** True when the agent was started by the ancestor, or by an agent that was. */
async function isDescendant(
  store: Store,
  projectId: string,
  agentId: string | undefined,
  ancestorId: string,
): Promise<boolean> {
  const seen = new Set<string>();
  for (let id = agentId; id !== undefined && !seen.has(id);) {
    seen.add(id);
    const [agent] = await store.turns.readAgents(projectId, [id]);
    if (agent?.parentAgentId === ancestorId) return true;
    id = agent?.parentAgentId ?? undefined;
  }
  return false;
}

/** An agent of somebody else's that worked for the caller: only what it gave in those turns. */
async function sliceOfDescendants(
  store: Store,
  { projectId, agentId }: Caller,
  box: Box,
  outputs: readonly Turn[],
): Promise<ReadableBox | undefined> {
  const visible = new Set<number>();
  for (const turn of outputs) {
    const above = (await store.turns.lineage(projectId, turn.id)).slice(1);
    if (!above.some((ancestor) => ancestor.agentId === agentId)) continue;
    const end = turn.outputEnd ?? box.items.length;
    for (let index = turn.outputStart ?? end; index < end; index += 1) visible.add(index);
  }
  if (visible.size === 0) return undefined;
  return { ...whole(box), items: box.items.filter((_, index) => visible.has(index)) };
}

/**
 * A box that was passed in, as it was when it was passed: what its owner adds later is not meant, nor what whoever passed
 * it could not see. What was meant stands in the context box of the turn.
 */
async function passedVersion(
  store: Store,
  { projectId, agentId }: Caller,
  boxId: string,
): Promise<ReadableBox | undefined> {
  if (agentId === null) return undefined;
  const turns = (await store.turns.list(projectId, { agentId })).flatMap((turn) =>
    passedBoxes(turn).flatMap((passed) => (passed.boxId === boxId ? [{ turn, version: passed.version }] : [])),
  );
  if (turns.length === 0) return undefined;
  const version = Math.max(...turns.map((passed) => passed.version));
  const box = await store.cards.openBox(projectId, boxId, version);
  const contexts = await store.cards.readBoxes(
    projectId,
    turns.map(({ turn }) => turn.contextBoxId),
  );
  const given = new Set(contexts.flatMap((context) => context?.items.map(({ cardId }) => cardId) ?? []));
  return box && { ...whole(box), items: box.items.filter(({ cardId }) => given.has(cardId)) };
}
