/** What is needed of a message. */
interface AnchoredMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
}

/** What is needed of a task. */
interface AnchoredTask {
  /** The question with which its turn began. */
  readonly anchor: string | null;
  readonly finishedAt: number | null;
  readonly returned: "waiting" | "given" | "kept" | null;
}

export interface MatchedTasks<Task> {
  /** By the index of the reply that handed them over. */
  readonly byReply: ReadonlyMap<number, readonly Task[]>;
  /** Those of other topics, and of replies that were edited away or replaced. */
  readonly left: readonly Task[];
}

/** Which reply has handed which task over. A result that stays behind belongs to a reply that was replaced. */
export function matchTasks<Task extends AnchoredTask>(
  messages: readonly AnchoredMessage[],
  tasks: readonly Task[],
): MatchedTasks<Task> {
  const replies = new Map(messages.map(({ id }, index) => [id, index + 1]));
  const replyOf = ({ anchor, returned }: Task): number | undefined => {
    const at = anchor === null || returned === "kept" ? undefined : replies.get(anchor);
    return at !== undefined && messages[at]?.role === "assistant" ? at : undefined;
  };
  const byReply = Map.groupBy(tasks, replyOf);
  const left = byReply.get(undefined) ?? [];
  return { byReply: new Map([...byReply].flatMap(([at, some]) => (at === undefined ? [] : [[at, some]]))), left };
}

/** Whether something is still to come of it. */
export function isUnsettled({ finishedAt, returned }: AnchoredTask): boolean {
  return finishedAt === null || returned === "waiting";
}
