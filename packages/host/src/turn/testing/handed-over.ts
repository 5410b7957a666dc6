import type { Galley } from "../../galley/galley.ts";
import { addProfile } from "../../galley/testing/temp-galley.ts";
import { openHandover } from "../../handover/options/handover-options.ts";
import { delegateAsync } from "../../handover/plan/delegate.ts";
import type { Outcome } from "../../store/ports/task-store.ts";
import type { TurnPlace } from "../services/turn-types.ts";

interface HandedOver {
  readonly place?: string;
  readonly anchor?: string | undefined;
  readonly turnId?: string;
  readonly secondsAgo?: number;
}

/** A task that a turn has handed over, and that no worker runs. */
export async function handOver(galley: Galley, instruction: string, given: HandedOver = {}): Promise<string> {
  const { place = "chat:a", anchor, turnId = "earlier", secondsAgo = 0 } = given;
  await addProfile(galley, "writer", "You write.").catch(() => undefined);
  const caller = { projectId: galley.project, id: place, origin: { place, turnId, callId: "c1", anchor } };
  const args = { target_strategy: "new", target_ref: "writer", instruction };
  const now = (): number => Date.now() - secondsAgo * 1000;
  return (await delegateAsync(args, caller, openHandover({ ...galley.handover.options, now }))).task_id;
}

export async function end(galley: Galley, taskId: string, outcome: Outcome): Promise<void> {
  const { store, project: projectId } = galley;
  const claim = { projectId, taskId, worker: "w", leaseMs: 10_000, now: Date.now() };
  const { attempt = 0 } = (await store.tasks.claim(claim)) ?? {};
  await store.tasks.finish({ projectId, taskId, attempt }, outcome, Date.now());
}

export async function handedBack(
  galley: Galley,
  instruction: string,
  result: string,
  given?: HandedOver,
): Promise<string> {
  const id = await handOver(galley, instruction, given);
  await end(galley, id, { status: "succeeded", result });
  return id;
}

/** What the model would read next in a place, without the system text. */
export async function next(galley: Galley, place: TurnPlace = { chat: "a" }): Promise<readonly string[]> {
  const turn = await galley.turn({ ...place, input: "And now?" });
  await turn.abort();
  return turn.messages.flatMap(({ role, content }) =>
    role === "system" ? [] : [`${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`],
  );
}

/** What `context_recall` gives in a place. */
export async function recallIn(
  galley: Galley,
  kind: "chat" | "session" | "agent",
  name: string,
  input: object,
): Promise<{ readonly text: string; readonly next?: string }> {
  const place = { kind, name };
  const { tools } = await galley.toolsFor(place);
  const tool = tools.find((each) => each.name === "context_recall");
  const context = { caller: `${kind}:${name}`, place, callId: "1", signal: new AbortController().signal };
  const outcome = await tool?.execute?.(input, context);
  const [content] = outcome?.kind === "result" ? outcome.content : [];
  return content?.type === "json" ? (content.value as { readonly text: string; readonly next?: string }) : { text: "" };
}
