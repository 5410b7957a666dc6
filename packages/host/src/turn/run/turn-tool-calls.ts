import { GalleyError, canonicalJson } from "@galley/engine";
import type { ToolResultPart } from "@galley/engine/messages";
import type { LoopPlace } from "../places/turn-place.ts";
import type { Services } from "../services/services.ts";
import type { TurnToolCall } from "../services/turn-types.ts";
import { callTool, tooManyCalls } from "../tools/execute-calls.ts";

/** The calls of tools of one turn, each made once [T7]. */
export interface TurnTools {
  /** The result of a call; the same call again gives the same one. */
  call(call: TurnToolCall): Promise<ToolResultPart>;
  /** A new reply of the model has calls of its own. */
  nextReply(): void;
  /** The call that has switched the context since this was last asked. */
  takeSwitch(): string | undefined;
}

interface TurnToolsOptions {
  readonly turnId: string;
  readonly maxCalls: number;
  readonly signal: AbortSignal;
}

const parked = {
  type: "error-text",
  value: "Not served: this call waits for a task, which only tasks can do.",
} as const;

/** Runs the tools that a turn announces, with the effect that they have in a run. */
export function turnTools(parts: Services, place: LoopPlace, options: TurnToolsOptions): TurnTools {
  const made = new Map<string, { readonly asked: string; readonly result: Promise<ToolResultPart> }>();
  let served = 0;
  let switchedBy: string | undefined;
  const serve = async ({ toolCallId, toolName, input }: TurnToolCall): Promise<ToolResultPart> => {
    const tool = place.tools.find(({ name }) => name === toolName);
    if (!tool) throw unknownTool(toolName, place);
    served += 1;
    const switches = place.switches();
    const output =
      served > options.maxCalls
        ? tooManyCalls(options.maxCalls)
        : await callTool(tool, input, {
            caller: place.caller,
            runId: options.turnId,
            callId: toolCallId,
            signal: options.signal,
            graceMs: parts.limits.toolGraceMs,
          });
    if (place.switches() > switches) switchedBy = toolCallId;
    const told = output === "parked" ? parked : parts.redactor.redact(output);
    return { type: "tool-result", toolCallId, toolName, output: told };
  };
  return {
    async call(call) {
      const { toolCallId, toolName, input } = checkCall(call);
      const asked = canonicalJson([toolName, input ?? null]);
      const before = made.get(toolCallId);
      if (before && before.asked !== asked) throw otherCall(toolCallId);
      if (before) return before.result;
      const result = serve({ toolCallId, toolName, input });
      made.set(toolCallId, { asked, result });
      // What was refused was not made, and may be asked for in another way.
      result.catch(() => made.delete(toolCallId));
      return result;
    },
    nextReply: () => void (served = 0),
    takeSwitch() {
      const callId = switchedBy;
      switchedBy = undefined;
      return callId;
    },
  };
}

function checkCall(call: unknown): TurnToolCall {
  const given = (typeof call === "object" && call !== null ? call : {}) as Record<string, unknown>;
  for (const field of ["toolCallId", "toolName"]) {
    const value = given[field];
    if (typeof value === "string" && value !== "" && value.length <= 512) continue;
    throw new GalleyError("ContextInvalidInput", `${field} must be a text of 1 to 512 characters.`, {
      path: field,
      hint: "Give a call of a tool as the model made it: {toolCallId, toolName, input}.",
    });
  }
  return given as unknown as TurnToolCall;
}

function unknownTool(toolName: string, { tools }: LoopPlace): GalleyError {
  const names = tools.map(({ name }) => name).join(", ");
  return new GalleyError("NotFound", `This turn announces no tool ${JSON.stringify(toolName)}.`, {
    path: "toolName",
    hint: names === "" ? "It announces none." : `It announces ${names}. Tools of your own you run yourself.`,
  });
}

function otherCall(toolCallId: string): GalleyError {
  const message = `The call ${JSON.stringify(toolCallId)} was made with another input.`;
  return new GalleyError("DuplicateId", message, { path: "toolCallId", hint: "Every call has an id of its own." });
}
