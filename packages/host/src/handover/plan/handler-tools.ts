import { GalleyError, type JsonObject, type Problem } from "@galley/engine";
import { problemsOf } from "@galley/engine/schemas";
import { dataResult } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Caller } from "../options/caller.ts";
import { type HandoverConfig, handoverSchema } from "../options/handover-config.ts";
import { type Handover, type HandoverOptions, openHandover } from "../options/handover-options.ts";
import { findProfile } from "../pack/profiles.ts";
import type { CallerOf } from "./handover-tools.ts";
import { taskFacts } from "./tool-facts.ts";
import { planPacked, startOnce } from "./plan-task.ts";
import { answerOf, delegated } from "./results.ts";

/** A tool of one's own that packs what it is given and starts a task [A5]. */
export interface Handler extends Pick<Tool, "name" | "description" | "inputSchema"> {
  readonly handover: Readonly<Record<string, unknown>>;
  readonly profile: string;
  readonly wait: boolean;
}

/** The tools of handlers. One that waits parks a task, and waits within the call elsewhere. */
export function handlerTools(
  options: HandoverOptions,
  handlers: readonly Handler[],
  callerOf: CallerOf,
): readonly Tool[] {
  const opened = openHandover(options);
  return handlers.map((handler) => ({
    name: handler.name,
    description: handler.description,
    inputSchema: handler.inputSchema,
    ...taskFacts,
    isRepeatable: true,
    isWaiting: handler.wait,
    async execute(input, context) {
      const given = await handle(handler, input as JsonObject, callerOf(context), opened);
      return given === undefined ? { kind: "parked" } : dataResult(given);
    },
  }));
}

async function handle(
  handler: Handler,
  args: JsonObject,
  caller: Caller,
  handover: Handover,
): Promise<JsonObject | undefined> {
  const request = { arguments: args, handover: packingOf(handler) };
  const task = await startOnce({ tool: handler.name, caller }, handover, (order) =>
    planPacked(request, order, handler.profile, handover),
  );
  const { hold } = caller;
  if (!handler.wait || !hold) return delegated(task);
  if (task.finishedAt !== null) return { ...delegated(task), ...answerOf(task) };
  await handover.store.tasks.suspend(hold, { taskId: task.id, now: handover.now() });
  return undefined;
}

/** The handler's own profile, whatever its configuration says. */
function packingOf({ handover, profile }: Handler): HandoverConfig {
  return { ...(handover as HandoverConfig), target_profile_config: { profile_name: profile } };
}

/** What is wrong with handlers: their configuration, a name that another tool has, a profile that does not exist. */
export async function checkHandlers(
  options: HandoverOptions,
  projectId: string,
  handlers: readonly Handler[],
  taken: ReadonlySet<string>,
): Promise<readonly Problem[]> {
  const opened = openHandover(options);
  const problems: Problem[] = [];
  for (const [index, handler] of handlers.entries()) {
    const path = `handlers[${index}]`;
    const { success, error } = handoverSchema.safeParse(handler.handover);
    if (!success) problems.push(...problemsOf(error.issues, "ConfigInvalid", `${path}.handover`, "error"));
    if (taken.has(handler.name)) {
      problems.push(
        invalid(`${path}.name`, `There is another tool ${handler.name}.`, "Give the handler another name."),
      );
    }
    if (!(await findProfile(opened, projectId, handler.profile))) {
      const message = `There is no profile ${JSON.stringify(handler.profile)}.`;
      problems.push(invalid(`${path}.profile`, message, "Declare it in profiles, or save it: galley profile add."));
    }
  }
  return problems;
}

function invalid(path: string, message: string, hint: string): Problem {
  return { severity: "error", code: "ConfigInvalid", message, path, hint };
}

export function handlersError(problems: readonly Problem[]): GalleyError | undefined {
  const [first] = problems;
  return first && new GalleyError("ConfigInvalid", first.message, { path: first.path, hint: first.hint, problems });
}
