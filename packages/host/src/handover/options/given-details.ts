import type { JsonObject } from "@galley/engine";
import * as z from "zod";
import type { Task } from "../../store/ports/task-store.ts";

const detailsSchema = z.object({
  passed: z.array(z.object({ boxId: z.string(), version: z.int() })).default([]),
  agentRefs: z.array(z.object({ agentId: z.string(), version: z.int() })).default([]),
  startedBy: z.string().optional(),
});

type Given = z.output<typeof detailsSchema>;

/** A box that was passed to a task, with the version that it had. */
export type PassedBox = Given["passed"][number];

/** An agent that a task may clone and use again, with the version that its output had when the task was given. */
export type AgentRef = Given["agentRefs"][number];

/** What a task was given besides its context: boxes, agents, and by whom. */
export function givenTo({ details }: Task): Given {
  return detailsSchema.safeParse(details).data ?? { passed: [], agentRefs: [] };
}

/** A task, or what is to become one. */
export interface Detailed {
  readonly details: Readonly<Record<string, unknown>>;
}

/** A text that a task was given by a name: its profile, its model, what it was asked. */
export function textDetail({ details }: Detailed, name: string): string | undefined {
  const value = details[name];
  return typeof value === "string" ? value : undefined;
}

/** How a task remembers what it was given. */
export function givenDetails(passed: readonly PassedBox[], agentRefs: readonly AgentRef[]): JsonObject {
  const boxes = passed.map(({ boxId, version }) => ({ boxId, version }));
  const agents = agentRefs.map(({ agentId, version }) => ({ agentId, version }));
  return { ...(boxes.length > 0 && { passed: boxes }), ...(agents.length > 0 && { agentRefs: agents }) };
}
